import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { listVariables } from '../../src/shared/config.ts';

const readme = await readFile(join(import.meta.dirname, '../../README.md'), 'utf8');
const table = readme.slice(readme.indexOf('| variable'));
const rows = table.slice(0, table.indexOf('\n\n')).split('\n').slice(2);

/** The supervisor's own, and what tests set. */
const internal = new Set(['EXTENSIONS', 'JOB_LEASE_MS', 'NODE_ENV', 'QUARRY_SUPERVISED', 'QUARRY_WORKER_ID']);

/** `DATAFORSEO_LOGIN`, `…_PASSWORD` and `REVIEW_`, `SEO_CONCURRENCY` are short for names with the same beginning, or end. */
function namesOf(row: string): string[] {
  const named = Array.from(row.matchAll(/`(…?_?[A-Z][A-Z0-9_]*)`/g), ([, name = '']) => name);
  const [first = ''] = named;
  const start = first.slice(0, first.indexOf('_'));
  const end = /_CONCURRENCY/.test(row) ? 'CONCURRENCY' : '';
  return named.map((name) =>
    name.startsWith('…') ? start + name.slice(1) : name.endsWith('_') ? name + end : name,
  );
}

describe('the table of variables in the README', () => {
  const named = new Set(rows.flatMap(namesOf));
  const variables = listVariables();

  test('names every variable that is read', () => {
    const missing = [...variables.keys()].filter((name) => !internal.has(name) && !named.has(name));
    expect(missing).toEqual([]);
  });

  test('tells the numbers that hold where a variable is not set', () => {
    const wrong = [...variables].filter(([name, preset]) => {
      if (typeof preset !== 'number' || internal.has(name)) return false;
      const row = rows.find((line) => namesOf(line).includes(name)) ?? '';
      return !new RegExp(`\\b${preset.toLocaleString('en')}\\b`).test(row);
    });
    expect(wrong).toEqual([]);
  });

  test('names nothing else', () => {
    const known = new Set(variables.keys());
    expect(
      rows.flatMap((row) => namesOf(row.split('|')[1] ?? '')).filter((name) => !known.has(name)),
    ).toEqual([]);
  });
});
