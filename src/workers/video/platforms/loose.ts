/**
 * Reading of JSON whose shape may change: what is missing or of another type is null. A chain of look-ups never
 * fails.
 */
export type Loose = unknown;

export function at(value: Loose, ...path: (string | number)[]): Loose {
  let here = value;
  for (const key of path) {
    if (typeof here !== 'object' || here === null) return undefined;
    here = (here as Record<string | number, unknown>)[key];
  }
  return here;
}

export const listAt = (value: Loose, ...path: (string | number)[]): Loose[] => {
  const found = at(value, ...path);
  return Array.isArray(found) ? found : [];
};

/** Not empty. */
export const textAt = (value: Loose, ...path: (string | number)[]): string | null => {
  const found = at(value, ...path);
  return typeof found === 'string' && found !== '' ? found : null;
};

/** A number, or a text of one. */
export const numberAt = (value: Loose, ...path: (string | number)[]): number | null => {
  const found = at(value, ...path);
  if (typeof found === 'string' && /^-?\d{1,15}(\.\d{1,9})?$/.test(found)) return Number(found);
  return typeof found === 'number' && Number.isFinite(found) ? found : null;
};

/** Not negative, nor longer than dates reach. */
export const secondsAt = (value: Loose, ...path: (string | number)[]): number | null => {
  const found = numberAt(value, ...path);
  return found === null || found < 0 || found > 1e11 ? null : found;
};

/** A number of things: whole and not negative. */
export const toCount = (value: number | null): number | null => {
  const whole = value === null ? -1 : Math.round(value);
  return whole >= 0 && Number.isSafeInteger(whole) ? whole : null;
};

export const countAt = (value: Loose, ...path: (string | number)[]): number | null =>
  toCount(numberAt(value, ...path));

export const flagAt = (value: Loose, ...path: (string | number)[]): boolean | null => {
  const found = at(value, ...path);
  return typeof found === 'boolean' ? found : null;
};

/** Everything under `key`, at any depth, in the order of the document. */
export function findAll(value: Loose, key: string): Loose[] {
  const found: Loose[] = [];
  const stack: Loose[] = [value];
  while (stack.length > 0) {
    const here = stack.pop();
    if (typeof here !== 'object' || here === null) continue;
    const entries = Object.entries(here);
    for (const [name, child] of entries) if (name === key && !Array.isArray(here)) found.push(child);
    for (let index = entries.length - 1; index >= 0; index--) stack.push(entries[index]?.[1]);
  }
  return found;
}

export const findFirst = (value: Loose, key: string): Loose => findAll(value, key)[0];

/** A moment as ISO 8601 in UTC, of milliseconds or a text that begins with year and month; null for what is none. */
export function isoDate(value: Loose): string | null {
  const isDate = typeof value === 'number' || (typeof value === 'string' && /^\d{4}-\d\d/.test(value));
  if (!isDate) return null;
  const date = new Date(value);
  const text = Number.isNaN(date.getTime()) ? '' : date.toISOString();
  return /^\d{4}-/.test(text) ? text : null;
}

/** Characters in which a number stands. */
const longestCount = 200;

/** `1,234 views`, `2.14M subscribers`, `1.1k`: numbers as English sites write them. */
export function readCount(text: string | null): number | null {
  const match = /(\d[\d,]*(?:\.\d+)?)\s?([kmb])?\b/i.exec(text?.slice(0, longestCount) ?? '');
  if (match?.[1] === undefined) return null;
  const factor = { k: 1e3, m: 1e6, b: 1e9 }[match[2]?.toLowerCase() ?? ''] ?? 1;
  return toCount(Number(match[1].replaceAll(',', '')) * factor);
}

/** `5:20:22` in seconds. */
export function readClock(text: string | null): number | null {
  if (text === null || !/^\d{1,4}(:\d{1,2}){1,2}$/.test(text)) return null;
  return text.split(':').reduce((sum, part) => sum * 60 + Number(part), 0);
}
