import type { CallToolResult } from '@modelcontextprotocol/server';
import type { JobWithResult, ShownJobRow } from '../../shared/jobs/find-jobs.ts';
import { defineTask } from '../../shared/tasks/task.ts';
import { answerText, clip, notesOf, type Wanted } from './answer-text.ts';
import { cutToTokens } from './excerpt.ts';
import { type Picture, readPictures } from './pictures.ts';
import type readStoredText from './read-stored-text.ts';
import type { McpCall } from './tool.ts';

/** A larger result is read in a process of its own: its reading costs nothing, and would hold up everybody's requests. */
const readHereBytes = 4 * 1024;
const readStoredTextTask = defineTask<typeof readStoredText>(
  new URL('./read-stored-text.ts', import.meta.url),
);

const text = (value: string) => ({ type: 'text' as const, text: value });

/** `maxTokens` bounds the words; what a picture costs is the model's own reckoning. */
function answerPictures(row: JobWithResult, pictures: readonly Picture[], maxTokens: number): CallToolResult {
  const shown = pictures.filter(({ data }) => data !== null);
  const lines = pictures.map(({ name, contentType, sizeBytes, data, note }) => {
    const size = `${name}, ${contentType}, ${sizeBytes} bytes${note === '' ? '' : `, ${note}`}`;
    return data === null ? `${size}: too large to be shown here` : size;
  });
  const head = [`Result ${row.id} of ${row.operation}.`, ...notesOf(row, maxTokens), ...lines];
  if (pictures.length === 1) head.push(`The picture by a signed link: ${pictures[0]?.url}`);
  return {
    content: [
      text(cutToTokens(head.join('\n'), maxTokens)),
      ...shown.map(({ data, contentType }) => ({
        type: 'image' as const,
        data: data ?? '',
        mimeType: contentType,
      })),
    ],
  };
}

/**
 * What a model is told of a job that has ended.
 * @throws AppError: the job's own error, `result_expired`, `job_canceled`.
 */
export async function answerEnded(
  call: McpCall,
  row: JobWithResult,
  wanted: Wanted,
): Promise<CallToolResult> {
  const stored = call.presenter.bytesOf(row);
  if (Buffer.isBuffer(stored) && stored.length > readHereBytes)
    return await readApart(call, row, stored, wanted);
  const data = call.presenter.dataOf(row, call.origin);
  const pictures = await readPictures(call, row);
  if (pictures.length > 0) return answerPictures(row, pictures, wanted.maxTokens);
  const made = Buffer.from(JSON.stringify(data));
  if (made.length > readHereBytes) return await readApart(call, row, made, wanted);
  return { content: [text(answerText(row, data, wanted))] };
}

async function readApart(
  { deps, caller, signal, pause }: McpCall,
  { id, operation, warnings }: JobWithResult,
  stored: Buffer,
  wanted: Wanted,
): Promise<CallToolResult> {
  const task = { row: { id, operation, warnings }, stored, wanted };
  const owner = caller.principal.userId;
  const told = await pause(() => deps.tasks.run(readStoredTextTask, task, { signal, owner }));
  return { content: [text(told)] };
}

/** What a model is told of a result that is not read here. */
export function answerTooLarge(row: ShownJobRow, sizeBytes: number): CallToolResult {
  const size = `${Math.round(sizeBytes / 1024 / 1024)} MB`;
  return {
    content: [
      text(
        `Result ${row.id} of ${row.operation} has ${size}, too much to be read in parts. Its JSON is at GET /api/proxy/jobs/${row.id}, to be fetched and searched outside of this conversation. ` +
          'Or ask for less at once: fewer pages, a lower depth or limit, or the one page that matters.',
      ),
    ],
  };
}

/** What a model is told of a job that goes on. */
export function answerLive(row: ShownJobRow, { filter }: Pick<Wanted, 'filter'>): CallToolResult {
  const { done, total, note } = row.progress ?? { done: null, total: null, note: null };
  const progress = done === null ? '' : ` ${done}${total === null ? '' : ` of ${total}`} done.`;
  const then =
    filter === undefined
      ? ''
      : `\nWhen it has ended, read what you searched for with result_read, filter ${JSON.stringify(filter)}.`;
  return {
    content: [
      text(
        `Not finished yet: the job ${row.id} (${row.operation}) is ${row.status === 'waiting' ? 'running' : row.status}.${progress}${note === null ? '' : ` ${clip(note, 200)}.`}\n` +
          `It goes on by itself; do not start it again. Ask with the tool job: {"id": "${row.id}", "action": "get"}.${then}`,
      ),
    ],
  };
}
