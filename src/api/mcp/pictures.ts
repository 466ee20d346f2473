import { buffer } from 'node:stream/consumers';
import type { JobWithResult } from '../../shared/jobs/find-jobs.ts';
import type { McpCall } from './tool.ts';

/** A picture among the files of a job. */
export interface Picture {
  name: string;
  contentType: string;
  sizeBytes: number;
  /** Signed. */
  url: string;
  /** What it shows. */
  note: string;
  /** Base64; null where it is too large to be sent along. */
  data: string | null;
}

/** Of the operations whose pictures are the answer, not something beside it. */
const pictured: ReadonlySet<string> = new Set([
  'web.screenshot',
  'video.screenshot',
  'video.screenshot-multiple',
]);

const mostPictures = 8;
/** All pictures of an answer together, before base64. */
const mostBytes = 4 * 1024 * 1024;

function notesByFile(output: unknown): Map<string, string> {
  const { frames = [output] } = output as { frames?: unknown[] };
  return new Map(
    frames.flatMap((frame) => {
      const { fileName, timestampSeconds } = frame as { fileName?: string; timestampSeconds?: number };
      return fileName === undefined ? [] : [[fileName, `at ${timestampSeconds} s`] as const];
    }),
  );
}

/** The pictures that a result consists of; none where it is a text. */
export async function readPictures(
  { deps, presenter, origin }: McpCall,
  row: JobWithResult,
): Promise<Picture[]> {
  if (!pictured.has(row.operation)) return [];
  const notes = notesByFile(presenter.outputOf(row));
  const shown = new Map(presenter.present(row, origin).files.map((file) => [file.name, file.url]));
  const pictures: Picture[] = [];
  let left = mostBytes;
  for (const file of row.files ?? []) {
    const { id, name, contentType, sizeBytes, store } = file;
    if (!contentType.startsWith('image/') || pictures.length === mostPictures) continue;
    const fits = sizeBytes > 0 && sizeBytes <= left;
    if (fits) left -= sizeBytes;
    const parts = deps.files.get(store).read(id, { start: 0, end: sizeBytes - 1 });
    pictures.push({
      name,
      contentType,
      sizeBytes,
      url: shown.get(name) ?? '',
      note: notes.get(name) ?? '',
      data: fits ? (await buffer(parts)).toString('base64') : null,
    });
  }
  return pictures;
}
