/** Whether a day (`2026-03-14`) is one of the calendar, from 1990 to next year. */
export function isLikelyDay(day: string): boolean {
  const time = Date.parse(`${day}T00:00:00Z`);
  if (Number.isNaN(time) || !new Date(time).toISOString().startsWith(day)) return false;
  return Number(day.slice(0, 4)) >= 1990 && time < Date.now() + 370 * 86_400_000;
}

/** A clock of twelve hours is none: `10:00 PM` is the day alone. */
const form =
  /^(\d{4})-?(\d{2})-?(\d{2})(?:[T ](\d{2}:\d{2}(?::\d{2})?)(?:\.\d+)?(?![\d:]|\.\d|\s*[AaPp]\.?[Mm]\b)(\s*(?:Z|UTC\b|GMT\b|[A-Z]{3,4}\b|[+-]\d{2}:?\d{2})|[+-]\d{2}\b)?)?/;

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
  const moment = `${date}T${clock}${offsetOf(zone.trim())}`;
  return Number.isNaN(Date.parse(moment)) ? date : moment;
}

/** Names of offsets that the standard of mail has (RFC 822), and those of Central Europe. */
const zones = new Map(
  'Z=Z UT=Z UTC=Z GMT=Z EST=-05:00 EDT=-04:00 CST=-06:00 CDT=-05:00 MST=-07:00 MDT=-06:00 PST=-08:00 PDT=-07:00 CET=+01:00 CEST=+02:00'
    .split(' ')
    .map((zone) => zone.split('=') as [string, string]),
);

/** As the standard writes it (`+01:00`); empty of a name that is not known. */
function offsetOf(zone: string): string {
  const [, hours, minutes = '00'] = /^([+-]\d\d):?(\d\d)?$/.exec(zone) ?? [];
  return hours === undefined ? (zones.get(zone) ?? '') : `${hours}:${minutes}`;
}

/** As dates have them in English, the first three letters of each. */
export const months = 'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ');
/** `Thu, 14 Mar 2024 10:00:00 GMT` (RFC 822). */
const mailForm =
  /^(?:[A-Z][a-z]{2,8},? )?(\d{1,2}) ([A-Z][a-z]{2})[a-z]{0,6} (\d{4}) (\d\d:\d\d(?::\d\d)?) ?([A-Z]{1,4}\b|[+-]\d{4}\b)/;
/** `Thu Mar 14 2024 10:00:00 GMT+0100`, as scripts write it. */
const scriptForm = /^[A-Z][a-z]{2} ([A-Z][a-z]{2}) (\d\d) (\d{4}) (\d\d:\d\d:\d\d) GMT([+-]\d{4})\b/;

/** A moment in the form of mail and of HTTP, or that of scripts, with its offset. @returns null for a text of another form. */
export function readMailDate(text: string): string | null {
  const mail = mailForm.exec(text);
  const script = mail === null ? scriptForm.exec(text) : null;
  const [day, month, ...rest] =
    mail?.slice(1) ?? (script === null ? [] : [script[2], script[1], ...script.slice(3)]);
  const number = months.indexOf(month?.toLowerCase() ?? '') + 1;
  if (day === undefined || number === 0) return null;
  const [year = '', clock = '', zone = ''] = rest;
  if (offsetOf(zone) === '') return null;
  const two = (value: string): string => value.padStart(2, '0');
  return readIsoDate(`${year}-${two(String(number))}-${two(day)} ${clock} ${zone}`) ?? null;
}

/** A moment as programs count it: seconds or milliseconds since 1970. @returns null for what is no such number. */
export function readEpoch(value: unknown): string | null {
  const text = typeof value === 'number' ? String(value) : typeof value === 'string' ? value.trim() : '';
  if (!/^(?:\d{9,10}|\d{12,13})$/.test(text)) return null;
  const moment = new Date(Number(text) * (text.length > 10 ? 1 : 1_000))
    .toISOString()
    .replace(/\.\d+Z$/, 'Z');
  return isLikelyDay(moment.slice(0, 10)) ? moment : null;
}
