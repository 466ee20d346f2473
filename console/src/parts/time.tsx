const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });
const exact = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'short' });

const steps: readonly [unit: Intl.RelativeTimeFormatUnit, seconds: number][] = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
];

function inWords(at: Date, now = new Date()): string {
  const seconds = Math.round((at.getTime() - now.getTime()) / 1_000);
  const [unit, size] = steps.find(([, length]) => Math.abs(seconds) >= length) ?? ['second', 1];
  return relative.format(Math.trunc(seconds / size), unit);
}

/** A moment as "2 hours ago", with the date itself on it; `none` where there is none. */
export function Time({ at, none = 'never' }: { at: string | null; none?: string }) {
  if (at === null) return <span className="quiet">{none}</span>;
  const date = new Date(at);
  return (
    <time dateTime={at} title={exact.format(date)}>
      {inWords(date)}
    </time>
  );
}
