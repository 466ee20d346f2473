import * as chrono from 'chrono-node';
import { isLikelyDay, readEpoch, readIsoDate, readMailDate } from './iso-date.ts';
import { readNamedDay } from './month-names.ts';

/** How the dates of a page are written. */
export interface DateWriting {
  /** 3/4 is the third of April. */
  dayFirst: boolean;
  /** For names of months: the page's language first, then English. */
  parsers: readonly chrono.Chrono[];
  /** A language that none of them reads. */
  other: string | null;
}

const byLanguage: Readonly<Record<string, chrono.Chrono>> = {
  ar: chrono.ar.strict,
  de: chrono.de.strict,
  es: chrono.es.strict,
  fi: chrono.fi.strict,
  fr: chrono.fr.strict,
  id: chrono.id.strict,
  it: chrono.it.strict,
  ja: chrono.ja.strict,
  nl: chrono.nl.strict,
  pt: chrono.pt.strict,
  ru: chrono.ru.strict,
  sv: chrono.sv.strict,
  uk: chrono.uk.strict,
  vi: chrono.vi.strict,
  zh: chrono.zh.strict,
};

/** How dates are written in a language; as in the United States where it is null. @param language such as `pt-BR`. */
export function dateWritingOf(language: string | null): DateWriting {
  const name = language?.toLowerCase().split(/[-_]/, 1)[0] ?? 'en';
  const own = byLanguage[name];
  return {
    dayFirst: language !== null && !/^en(?:[-_]us)?$/i.test(language),
    parsers: own === undefined ? [chrono.en.casual] : [own, chrono.en.casual],
    other: own === undefined && name !== 'en' ? name : null,
  };
}

/** Of a value with its type, as JSON-LD may have it, the value; of several the first. */
function valueOf(value: unknown): unknown {
  const one: unknown = Array.isArray(value) ? value[0] : value;
  return typeof one === 'object' && one !== null && '@value' in one ? one['@value'] : one;
}

/** The day a text names first, or the moment where it is in the standard's form; years from 1990 to next year only. */
export function readDate(value: unknown, writing: DateWriting): string | null {
  const plain = valueOf(value);
  const counted = readEpoch(plain);
  if (counted !== null || typeof plain !== 'string') return counted;
  const text = plain.trim().slice(0, 80);
  const iso = readIsoDate(text);
  return iso === undefined ? (readMailDate(text) ?? readWrittenDate(text, writing)) : iso;
}

/** In the digits and years that all others have: Arabic writes its own digits, Thai counts from another year. */
function withPlainNumbers(text: string, language: string | null): string {
  const plain = /[\u0660-\u0669\u06f0-\u06f9\u0966-\u096f\u09e6-\u09ef\u0e50-\u0e59]/.test(text)
    ? text.replace(/[\p{Nd}]/gu, (digit) => String(digitOf(digit)))
    : text;
  return language === 'th' ? plain.replace(/\b25[3-9]\d\b/g, (year) => String(Number(year) - 543)) : plain;
}

/** Digits of all scripts stand in runs of ten. */
function digitOf(digit: string): number {
  const code = digit.codePointAt(0) ?? 0;
  let value = 0;
  while (value < 9 && /\p{Nd}/u.test(String.fromCodePoint(code - value - 1))) value++;
  return value;
}

/** The first day that a text names with its year (`2026-03-14`); years from 1990 to next year only. */
export function readWrittenDate(written: string, { dayFirst, parsers, other }: DateWriting): string | null {
  const text = withPlainNumbers(written, other);
  if (text.length < 6 || !/(?:19|20)\d\d/.test(text)) return null;
  const numeric = /\b(\d{1,2})([./-])(\d{1,2})\2(\d{4})\b/.exec(text);
  if (numeric !== null) {
    const [, a, mark, b, year] = numeric;
    const isDayFirst = mark === '.' || Number(a) > 12 || (dayFirst && Number(b) <= 12);
    const [day, month] = isDayFirst ? [a, b] : [b, a];
    return likelyDay(year, month, day);
  }
  const yearFirst =
    /\b(\d{4})[./](\d\d)[./](\d\d)(?!\d)/.exec(text) ??
    /\b(\d{4})\.\s(\d{1,2})\.\s(\d{1,2})\./.exec(text) ??
    /\b(\d{4})[년年]\s?(\d{1,2})[월月]\s?(\d{1,2})[일日]/.exec(text);
  if (yearFirst !== null) return likelyDay(yearFirst[1], yearFirst[2], yearFirst[3]);
  const named = other === null ? null : readNamedDay(text, other);
  if (named !== null) return likelyDay(named.year, named.month, named.day);
  for (const parser of parsers) {
    for (const { start } of parser.parse(text, new Date(), { forwardDate: false })) {
      if (!start.isCertain('day') || !start.isCertain('month') || !start.isCertain('year')) continue;
      const date = likelyDay(start.get('year'), start.get('month'), start.get('day'));
      if (date !== null) return date;
    }
  }
  return null;
}

function likelyDay(year: unknown, month: unknown, day: unknown): string | null {
  const date = `${String(year)}-${String(month).padStart(2, '0')}-${String(day).padStart(2, '0')}`;
  return isLikelyDay(date) ? date : null;
}
