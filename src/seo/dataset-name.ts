import { basename } from 'node:path';
import { z } from 'zod';
import type { ImportKind } from './formats.ts';
import { SeoError } from './seo-error.ts';

const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const release =
  /cc-main-(\d{4})(?:-(\d{2}))?((?:-(?:jan|feb|mar|apr|may|june?|july?|aug|sept?|oct|nov|dec)(?![a-z]))+)/;

/** The last day of the last month that a release covers: `cc-main-2025-26-dec-jan-feb` is 2026-02-28. */
function endOfRelease(name: string): string | null {
  const match = release.exec(name);
  if (match === null) return null;
  const [, from = '', until, named = ''] = match;
  const last = months.indexOf((named.split('-').at(-1) ?? '').slice(0, 3));
  if (last === -1) return null;
  const year = until === undefined ? Number(from) : Math.trunc(Number(from) / 100) * 100 + Number(until);
  return new Date(Date.UTC(year, last + 1, 0)).toISOString().slice(0, 10);
}

const isoDate = z.iso.date();

/**
 * What a file is called as a data set, and what day it speaks of: as the operator says, else as its name says.
 * @throws SeoError where neither says.
 */
export function nameDataset(
  kind: ImportKind,
  path: string,
  said: { date?: string | undefined; release?: string | undefined },
): { name: string; asOf: string } {
  const file = basename(path);
  const date = said.date ?? /\d{4}-\d{2}-\d{2}/.exec(file)?.[0];
  if (date !== undefined && !isoDate.safeParse(date).success)
    throw new SeoError(`${date} is no date. Give it as --date 2026-11-01.`);
  if (kind === 'tranco') {
    if (date !== undefined) return { name: date, asOf: date };
    throw new SeoError(
      `Of what day is this list? Neither ${file} nor --date says. Example: --date 2026-11-01`,
    );
  }
  if (/-host-(?:ranks|vertices|edges)/.test(file))
    throw new SeoError(
      `${file} is of hosts. Give the file of domains: ${file.replace('-host-', '-domain-')}`,
    );
  const name = said.release ?? release.exec(file)?.[0];
  if (name === undefined) {
    throw new SeoError(
      `Of what release is this file? Neither ${file} nor --release says. Example: --release cc-main-2026-jan-feb-mar`,
    );
  }
  const asOf = date ?? endOfRelease(name);
  if (asOf !== null) return { name, asOf };
  throw new SeoError(`The release ${name} names no months. Say its day: --date 2026-03-31`);
}
