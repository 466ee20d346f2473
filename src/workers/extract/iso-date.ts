/** Whether a day (`2026-03-14`) is one of the calendar, from 1990 to next year. */
export function isLikelyDay(day: string): boolean {
  const time = Date.parse(`${day}T00:00:00Z`);
  if (Number.isNaN(time) || !new Date(time).toISOString().startsWith(day)) return false;
  return Number(day.slice(0, 4)) >= 1990 && time < Date.now() + 370 * 86_400_000;
}

const form =
  /^(\d{4})-?(\d{2})-?(\d{2})(?:[T ](\d{2}:\d{2}(?::\d{2})?)(?:\.\d+)?(\s*(?:Z|UTC\b|GMT\b|[+-]\d{2}:?\d{2})|[+-]\d{2}\b)?)?/;

/**
 * A day, or a moment with the offset that it states, at the start of a text in the standard's form (ISO 8601).
 * @returns null for a day that is none; undefined where the text is of another form.
 */
export function readIsoDate(text: string): string | null | undefined {
  const match = form.exec(text);
  if (match === null) return undefined;
  const [, year, month, day, time, zone = ''] = match;
  const date = `${year}-${month}-${day}`;
  if (!isLikelyDay(date)) return null;
  if (time === undefined) return date;
  const clock = time.length === 5 ? `${time}:00` : time;
  const offset = zone
    .trim()
    .replace(/^[UG]..$/, 'Z')
    .replace(/^([+-]\d\d):?(\d\d)?$/, (_, hours: string, minutes = '00') => `${hours}:${minutes}`);
  const moment = `${date}T${clock}${offset}`;
  return Number.isNaN(Date.parse(moment)) ? date : moment;
}
