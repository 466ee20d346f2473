import type pg from 'pg';
import {
  type Batch,
  type DatasetState,
  dropDataset,
  finishDataset,
  openBatch,
  takeDataset,
} from './dataset-store.ts';
import { type FileFormat, fileFormats, type ImportKind } from './formats.ts';
import { type DataFile, inspectFile, readLines } from './read-lines.ts';
import { SeoError } from './seo-error.ts';

export interface ImportRequest {
  kind: ImportKind;
  path: string;
  /** The date of a list, the release of a graph. */
  name: string;
  /** ISO 8601 date. */
  asOf: string;
  onProgress(progress: ImportProgress): void;
}

export interface ImportProgress {
  bytesRead: number;
  sizeBytes: number;
  /** Stored by now, those of an earlier run included. */
  rows: number;
}

export interface ImportResult {
  id: number;
  rows: number;
  /** Lines that are no row. */
  skipped: number;
  /** Rows that an earlier run had stored. */
  resumedFrom: number;
}

/** Decompressed bytes whose rows are one transaction: what a kill can cost, and what a checkpoint is worth. */
const batchBytes = 4 * 1_048_576;
/** Among so many lines a row must be found. */
const probedLines = 1_000;

interface Conversion {
  text: string;
  rows: number;
  skipped: number;
}

function convert(format: FileFormat, text: string): Conversion {
  const rows: string[] = [];
  const lines = text.split('\n');
  for (const line of lines) {
    const row = format.toRow(line.endsWith('\r') ? line.slice(0, -1) : line);
    if (row !== null) rows.push(row);
  }
  return {
    text: rows.length === 0 ? '' : `${rows.join('\n')}\n`,
    rows: rows.length,
    skipped: lines.length - rows.length,
  };
}

function refuseForeign({ kind, path }: ImportRequest, format: FileFormat, text: string): never {
  const line = text.split('\n', 1)[0]?.slice(0, 80) ?? '';
  throw new SeoError(
    `${path} is no ${kind} file: its first lines are like ${JSON.stringify(line)}, where ` +
      `${JSON.stringify(format.example)} is expected.`,
  );
}

async function store(
  client: pg.Client,
  request: ImportRequest,
  file: DataFile,
  state: DatasetState,
): Promise<DatasetState> {
  const format: FileFormat = fileFormats[request.kind];
  let { offset, rows, skipped } = state;
  let batch: Batch | null = null;
  let batchStart = offset;
  try {
    for await (const chunk of readLines(request.path, file, offset)) {
      const converted = convert(format, chunk.text);
      if (rows === 0 && converted.rows === 0 && skipped + converted.skipped >= probedLines)
        refuseForeign(request, format, chunk.text);
      batch ??= await openBatch(client, state, format);
      if (converted.text !== '') await batch.write(converted.text);
      rows += converted.rows;
      skipped += converted.skipped;
      offset = chunk.endOffset;
      if (offset - batchStart >= batchBytes) {
        await batch.commit({ offset, rows, skipped });
        batch = null;
        batchStart = offset;
      }
      request.onProgress({ bytesRead: chunk.bytesRead, sizeBytes: file.sizeBytes, rows });
    }
    await batch?.commit({ offset, rows, skipped });
    batch = null;
  } finally {
    await batch?.abort();
  }
  if (rows === 0) refuseForeign(request, format, '');
  return { ...state, offset, rows, skipped };
}

async function countStored(client: pg.Client, id: number): Promise<number> {
  const { rows } = await client.query<{ count: number }>(
    'select row_count::float8 as count from seo_datasets where id = $1',
    [id],
  );
  return rows[0]?.count ?? 0;
}

/**
 * Reads a published file into a data set of its own, which nobody sees before it is whole. One that was left
 * half-way goes on behind its last checkpoint. Memory is bounded whatever the file's size.
 * @throws SeoError for a file of another kind, damaged, or other than the one that was begun.
 */
export async function importFile(client: pg.Client, request: ImportRequest): Promise<ImportResult> {
  const { kind, name, asOf, path } = request;
  const { table } = fileFormats[kind];
  const file = await inspectFile(path);
  const state = await takeDataset(client, table, { kind, name, asOf, fileHash: file.hash });
  if (state.fileHash !== file.hash) {
    throw new SeoError(
      `${kind} ${name} was imported${state.isFinished ? '' : ' half-way'} from another file. ` +
        `Remove it first: npm run -s seo -- remove --id ${state.id}`,
    );
  }
  const { id, rows: resumedFrom } = state;
  if (state.isFinished) return { id, rows: state.rows, skipped: state.skipped, resumedFrom };
  const { rows, skipped } = await store(client, request, file, state).catch(async (error: unknown) => {
    // A file of another kind leaves nothing behind.
    if (error instanceof SeoError && state.rows === 0 && (await countStored(client, id)) === 0)
      await dropDataset(client, id);
    throw error;
  });
  await finishDataset(client, table, id);
  return { id, rows, skipped, resumedFrom };
}
