import { appendFileSync, readFileSync } from 'node:fs';

/** A figure of a measurement, for the table that `npm run bench` ends with. */
export interface Figure {
  what: string;
  /** In `unit`. */
  value: number;
  unit: string;
  /** What it is held against, in the same unit: the bare thing, asked in turns with ours. */
  baseline?: number;
}

/** The file that `npm run bench` gathers them in; a measurement that runs by itself only prints. */
export const figuresVariable = 'BENCH_FIGURES';

export function tellFigure(figure: Figure): void {
  const file = process.env[figuresVariable];
  if (file !== undefined) appendFileSync(file, `${JSON.stringify(figure)}\n`);
}

export function readFigures(file: string): Figure[] {
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Figure);
}
