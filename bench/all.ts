import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Figure, figuresVariable, readFigures } from './figures.ts';

/**
 * Runs every `bench:<name>` script of package.json, one after the other, or those that are named, and prints the figures of
 * all of them in one table.
 *
 * npm run bench -- scrape is-alive
 */
const folder = join(import.meta.dirname, '..');
const { scripts } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
  scripts: Record<string, string>;
};
const wanted = process.argv.slice(2);
/** Writes the model anew; what it measures on the way, `content` measures too. */
const isTraining = (bench: string) => bench === 'content-train';

interface Row extends Figure {
  bench: string;
}

function runBench(bench: string, file: string, figures: string): Row[] {
  console.log(`\n${bench}`);
  writeFileSync(figures, '');
  const { status } = spawnSync(process.execPath, [...process.execArgv, join(folder, file)], {
    stdio: 'inherit',
    env: { ...process.env, [figuresVariable]: figures },
  });
  if (status !== 0) process.exitCode = 1;
  const told = readFigures(figures);
  const failure = { bench, what: status === 0 ? 'no figures' : `failed (${status})`, value: NaN, unit: '' };
  return status === 0 && told.length > 0 ? told.map((figure) => ({ bench, ...figure })) : [failure];
}

const show = (value: number | undefined) =>
  value === undefined || Number.isNaN(value)
    ? '–'
    : value.toLocaleString('en', { maximumSignificantDigits: value >= 1_000 ? 6 : 3 });

function printTable(rows: readonly Row[]): void {
  const cells = rows.map(({ bench, what, value, unit, baseline }) => {
    const ratio = baseline === undefined ? undefined : value / baseline;
    return [bench, what, show(value), unit, show(baseline), show(ratio)];
  });
  const all = [['bench', 'figure', 'value', 'unit', 'baseline', 'ratio'], ...cells];
  const widths = all[0]?.map((_, column) => Math.max(...all.map((row) => row[column]?.length ?? 0))) ?? [];
  console.log();
  for (const row of all)
    console.log(
      row
        .map((cell, column) =>
          (column < 2 || column === 3 ? cell.padEnd : cell.padStart).call(cell, widths[column] ?? 0),
        )
        .join('  '),
    );
}

const scratch = mkdtempSync(join(tmpdir(), 'quarry-bench-'));
const rows: Row[] = [];
try {
  for (const [script, command] of Object.entries(scripts)) {
    const file = script.startsWith('bench:') ? command.split(' ').at(-1) : undefined;
    const bench = script.slice('bench:'.length);
    if (file === undefined || (wanted.length > 0 ? !wanted.includes(bench) : isTraining(bench))) continue;
    rows.push(...runBench(bench, file, join(scratch, 'figures')));
  }
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
printTable(rows);
