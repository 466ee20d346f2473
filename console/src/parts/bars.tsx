import { numberOf } from './words.ts';

export interface Bar {
  label: string;
  value: number;
  /** A part of the value that failed. */
  bad?: number;
}

const short = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 });
/** Labels that have room side by side on a phone. */
const mostLabels = 7;

/** Columns side by side, such as days. The same numbers follow as a table, for all who do not see them. */
export function Columns({ bars, caption }: { bars: readonly Bar[]; caption: string }) {
  const most = Math.max(1, ...bars.map((bar) => bar.value));
  const everyOne = Math.ceil(bars.length / mostLabels);
  return (
    <figure className="chart">
      <div className="columns" aria-hidden="true">
        {bars.map(({ label, value }, index) => (
          <div key={label} className="column" title={`${label}: ${numberOf(value)}`}>
            <span className="amount">{value === 0 || everyOne > 2 ? '' : short.format(value)}</span>
            <span className="bar" style={{ height: `calc((100% - 2.8rem) * ${value / most})` }} />
            <span className="label">{index % everyOne === 0 ? label.slice(5) : ''}</span>
          </div>
        ))}
      </div>
      <figcaption className="fine">{caption}</figcaption>
      <div className="for-readers">
        <table>
          <caption>{caption}</caption>
          <tbody>
            {bars.map(({ label, value }) => (
              <tr key={label}>
                <th scope="row">{label}</th>
                <td>{numberOf(value)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </figure>
  );
}

/** Rows with a bar each, the longest first. */
export function Rows({ bars, unit }: { bars: readonly Bar[]; unit: string }) {
  const sorted = bars.toSorted((a, b) => b.value - a.value);
  const most = Math.max(1, ...sorted.map((bar) => bar.value));
  return (
    <table className="bars">
      <thead>
        <tr>
          <th scope="col">Operation</th>
          <th scope="col" className="number">
            {unit}
          </th>
          <th scope="col" className="number">
            Failed
          </th>
        </tr>
      </thead>
      <tbody>
        {sorted.map(({ label, value, bad = 0 }) => (
          <tr key={label}>
            <th scope="row">
              <code>{label}</code>
              <progress max={most} value={value} aria-hidden="true" />
            </th>
            <td className="number">{numberOf(value)}</td>
            <td className="number">{numberOf(bad)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
