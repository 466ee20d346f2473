import { useSyncExternalStore } from 'react';

const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });
const exact = new Intl.DateTimeFormat('en', {
  year: 'numeric',
  month: 'short',
  day: 'numeric',
  hour: 'numeric',
  minute: '2-digit',
  second: '2-digit',
  timeZoneName: 'short',
});

const steps: readonly [unit: Intl.RelativeTimeFormatUnit, seconds: number][] = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
];

const tickMs = 10_000;
const listeners = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;

/** One clock for all, so that "a minute ago" does not stay so on a page that nothing else changes. */
function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  timer ??= setInterval(() => {
    for (const each of listeners) each();
  }, tickMs);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

function inWords(at: Date): string {
  const seconds = Math.round((at.getTime() - Date.now()) / 1_000);
  const [unit, size] = steps.find(([, length]) => Math.abs(seconds) >= length) ?? ['second', 1];
  return relative.format(Math.trunc(seconds / size), unit);
}

/**
 * A moment as "2 hours ago", with the date itself on it; `none` where there is none.
 * @param withDate shows the date too.
 */
export function Time({
  at,
  none = 'never',
  withDate = false,
}: {
  at: string | null;
  none?: string;
  withDate?: boolean;
}) {
  const words = useSyncExternalStore(subscribe, () => (at === null ? none : inWords(new Date(at))));
  if (at === null) return <span className="quiet">{none}</span>;
  const date = exact.format(new Date(at));
  return (
    <time dateTime={at} title={date}>
      {withDate ? `${date}, ${words}` : words}
    </time>
  );
}
