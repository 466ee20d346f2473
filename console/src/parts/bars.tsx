export interface Bar {
  label: string;
  value: number;
  /** A part of the value that failed. */
  bad?: number;
}

const number = new Intl.NumberFormat('en');
const width = 640;
const height = 160;
const gap = 4;

/** Columns side by side, such as days. The same numbers follow as a table, for all who do not see them. */
export function Columns({ bars, caption }: { bars: readonly Bar[]; caption: string }) {
  const most = Math.max(1, ...bars.map((bar) => bar.value));
  const step = width / Math.max(1, bars.length);
  return (
    <figure className="chart">
      <svg viewBox={`0 0 ${width} ${height + 22}`} aria-hidden="true">
        <line className="axis" x1="0" x2={width} y1={height} y2={height} />
        {bars.map(({ label, value }, index) => {
          const tall = value === 0 ? 0 : Math.max(2, (value / most) * (height - 28));
          const x = index * step + gap / 2;
          const shown = bars.length <= 10 || index % 5 === 0;
          return (
            <g key={label}>
              <rect className="bar" x={x} y={height - tall} width={step - gap} height={tall} rx="3">
                <title>{`${label}: ${number.format(value)}`}</title>
              </rect>
              {value === 0 || bars.length > 14 ? null : (
                <text x={x + (step - gap) / 2} y={height - tall - 5} textAnchor="middle">
                  {number.format(value)}
                </text>
              )}
              {shown ? (
                <text x={x + (step - gap) / 2} y={height + 16} textAnchor="middle">
                  {label.slice(5)}
                </text>
              ) : null}
            </g>
          );
        })}
      </svg>
      <figcaption className="fine">{caption}</figcaption>
      <div className="for-readers">
        <table>
          <caption>{caption}</caption>
          <tbody>
            {bars.map(({ label, value }) => (
              <tr key={label}>
                <th scope="row">{label}</th>
                <td>{number.format(value)}</td>
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
            <td className="number">{number.format(value)}</td>
            <td className="number">{number.format(bad)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
