import type { PageAddress } from '../addresses/page-address.ts';

/** Past these a URL is a program's doing, not a person's. */
const longestUrl = 2_000;
const deepestPath = 24;
const repeatedSegment = 3;
/** Pages that a calendar or an archive by date may add, per place. */
const datesPerPlace = 100;
/** Pages of one path that differ in their parameters' values, and in which parameters they have. */
const valuesPerPath = 2_000;
const namesPerPath = 40;

const dateName = /^(date|day|month|year|week|cal|calendar|from|to|start|end|d|m|y|ym|mon)$/i;
/** A year alone may be a number of anything, and there are few of them. */
const datePath = /\/(19|20|21)\d\d[-/](0?\d|1[0-2])([-/][0-3]?\d)?\/?$/;

/** Keeps a crawl out of places without end: calendars, endless paths, parameters in all combinations. */
export interface TrapGuard {
  /** @returns false where following the URL further would lead nowhere. Asked once for each URL, in order. */
  admits(page: PageAddress): boolean;
  /** URLs that were refused. */
  readonly refused: number;
}

function isEndlessPath(segments: readonly string[]): boolean {
  if (segments.length > deepestPath) return true;
  const counts = new Map<string, number>();
  for (const segment of segments) {
    const count = (counts.get(segment) ?? 0) + 1;
    if (count > repeatedSegment) return true;
    counts.set(segment, count);
  }
  return false;
}

export function createTrapGuard(): TrapGuard {
  const counts = new Map<string, number>();
  let refused = 0;

  function within(place: string, bound: number): boolean {
    const count = (counts.get(place) ?? 0) + 1;
    counts.set(place, count);
    return count <= bound;
  }

  function isWorthwhile({ url, host, path }: PageAddress): boolean {
    if (url.length > longestUrl) return false;
    const [place = '', query = ''] = path.split('?', 2);
    if (isEndlessPath(place.split('/').filter((segment) => segment !== ''))) return false;
    if (datePath.test(place) && !within(`${host}${place.replace(datePath, '/*')} dated`, datesPerPlace)) {
      return false;
    }
    if (query === '') return true;
    const names = [...new Set(query.split('&').map((pair) => pair.split('=', 1)[0] ?? ''))].sort();
    const asked = `${host}${place}`;
    if (names.some((name) => dateName.test(name)) && !within(`${asked} dates`, datesPerPlace)) return false;
    const combination = `${asked}?${names.join('&')}`;
    if (!counts.has(combination) && !within(`${asked} names`, namesPerPath)) return false;
    return within(combination, valuesPerPath);
  }

  return {
    admits(page) {
      const admitted = isWorthwhile(page);
      if (!admitted) refused++;
      return admitted;
    },
    get refused() {
      return refused;
    },
  };
}
