import { numberOf } from './words.ts';

/** How much of an allowance is used. */
export function Meter({ used, limit, label }: { used: number; limit: number; label: string }) {
  return (
    <div className="meter">
      <div className="meter-text">
        <span>{label}</span>
        <strong>
          {numberOf(used)} of {numberOf(limit)}
        </strong>
      </div>
      <meter min={0} max={limit} high={limit * 0.8} optimum={0} value={used} aria-label={label}>
        {used} of {limit}
      </meter>
    </div>
  );
}
