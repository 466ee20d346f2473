import { createHash, type Hash } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { AppError } from '../../shared/errors.ts';
import { type Blob, createBlob } from '../../shared/blobs/blob.ts';
import { isExhaustion } from '../../shared/tasks/exhaustion.ts';

/** Of one result: it goes through Postgres, and in one piece to its reader. */
const maxResultBytes = 128 * 1024 * 1024;
/** Characters that are written in one turn of the event loop: some milliseconds. */
const chunkLength = 512 * 1024;
/** The same of values and marks between them, of which small ones take longer than their characters. */
const partsATurn = 16 * 1024;
/** A list of results holds pages, whose fields are the largest values that there are. */
const deepestField = 5;

/** The JSON of a value in chunks, as `JSON.stringify` writes it. */
function* writeJson(value: unknown, depth = 0): Generator<string> {
  if (typeof value === 'string') yield* writeText(value);
  else if (typeof value !== 'object' || value === null || depth === deepestField || hasOwnForm(value)) {
    yield JSON.stringify(value) ?? 'null';
  } else if (Array.isArray(value)) {
    let mark = '[';
    for (const item of value) {
      yield mark;
      yield* writeJson(item, depth + 1);
      mark = ',';
    }
    yield mark === '[' ? '[]' : ']';
  } else {
    let mark = '{';
    for (const [name, field] of Object.entries(value)) {
      if (field === undefined || typeof field === 'function' || typeof field === 'symbol') continue;
      yield `${mark}${JSON.stringify(name)}:`;
      yield* writeJson(field, depth + 1);
      mark = ',';
    }
    yield mark === '{' ? '{}' : '}';
  }
}

const hasOwnForm = (value: object): boolean => 'toJSON' in value;

function* writeText(text: string): Generator<string> {
  if (text.length <= chunkLength) {
    yield JSON.stringify(text);
    return;
  }
  yield '"';
  for (let start = 0; start < text.length;) {
    let end = start + chunkLength;
    // The two halves of a character stay together.
    if ((text.charCodeAt(end - 1) & 0xfc00) === 0xd800) end++;
    yield JSON.stringify(text.slice(start, end)).slice(1, -1);
    start = end;
  }
  yield '"';
}

function tooLarge(): AppError {
  const detail = `The result is larger than ${maxResultBytes / 1024 ** 2} MB. Ask for less at once.`;
  return new AppError('target_too_large', detail, { isFinal: true });
}

/** As JSON; other jobs go on while a large one is written. @throws AppError `target_too_large` */
export async function writeResult(output: unknown): Promise<Blob> {
  const chunks: Buffer[] = [];
  let sha256: Hash | undefined;
  let size = 0;
  let text = '';
  const keep = (): void => {
    const chunk = Buffer.from(text);
    text = '';
    sha256 ??= createHash('sha256');
    sha256.update(chunk);
    chunks.push(chunk);
    size += chunk.length;
    if (size > maxResultBytes) throw tooLarge();
  };
  let parts = 0;
  try {
    for (const part of writeJson(output)) {
      text += part;
      parts++;
      if (text.length >= chunkLength) keep();
      else if (parts < partsATurn) continue;
      parts = 0;
      await nextTurn();
    }
  } catch (error) {
    // There is no text that could hold a part of it.
    throw isExhaustion(error) ? tooLarge() : error;
  }
  if (chunks.length === 0) return createBlob('application/json', Buffer.from(text));
  keep();
  return createBlob('application/json', Buffer.concat(chunks), sha256?.digest());
}
