interface DayPatterns {
  /** Day, twelve groups of which one holds a month's name, year. */
  dayFirst: RegExp;
  /** Year, twelve groups, day. */
  yearFirst: RegExp;
}

const known = new Map<string, DayPatterns | null>();
const mostKnown = 100;

/** The names of a month in a language, as its dates have them and by themselves, long and short. */
function namesOf(language: string, month: number): string[] {
  const names = (['long', 'short'] as const).flatMap((form) =>
    [{ day: 'numeric' as const }, {}].flatMap((day) =>
      new Intl.DateTimeFormat(language, { ...day, month: form, calendar: 'gregory', timeZone: 'UTC' })
        .formatToParts(Date.UTC(2024, month, 14))
        .filter(({ type, value }) => type === 'month' && /\p{L}/u.test(value))
        .map(({ value }) => value.replace(/\.$/, '')),
    ),
  );
  return [...new Set(names)].sort((a, b) => b.length - a.length);
}

function patternsOf(language: string): DayPatterns | null {
  const found = known.get(language);
  if (found !== undefined) return found;
  let patterns: DayPatterns | null = null;
  if (/^[a-z]{2,3}$/.test(language) && Intl.DateTimeFormat.supportedLocalesOf(language).length > 0) {
    const groups = Array.from({ length: 12 }, (_, month) => namesOf(language, month).join('|'));
    const escaped = groups.map((group) => `(${group.replace(/[.*+?^${}()[\]\\]/g, '\\$&')})`).join('|');
    if (!groups.includes('')) {
      patterns = {
        dayFirst: new RegExp(
          `(?<!\\d)(\\d{1,2})(?:\\.|º|ª)?\\s(?:\\p{L}{1,2}\\s?)?(?:${escaped})[.,]?\\s(?:\\p{L}{1,3}\\s)?(\\d{4})(?!\\d)`,
          'iu',
        ),
        yearFirst: new RegExp(`(?<!\\d)(\\d{4})\\.?\\s(?:${escaped})\\.?\\s(\\d{1,2})(?!\\d)`, 'iu'),
      };
    }
  }
  if (known.size < mostKnown) known.set(language, patterns);
  return patterns;
}

/** The first day that a text names by the month's name in a language (`pl`). */
export function readNamedDay(
  text: string,
  language: string,
): { year: string; month: number; day: string } | null {
  const patterns = patternsOf(language);
  if (patterns === null) return null;
  const dayFirst = patterns.dayFirst.exec(text);
  const match = dayFirst ?? patterns.yearFirst.exec(text);
  if (match === null) return null;
  const [first = '', last = ''] = [match[1], match.at(-1)];
  const month = match.findIndex((group, index) => index >= 2 && index < 14 && group !== undefined) - 1;
  return dayFirst === null ? { year: first, month, day: last } : { year: last, month, day: first };
}
