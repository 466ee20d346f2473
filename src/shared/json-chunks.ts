import { setImmediate as nextTurn } from 'node:timers/promises';

/** Characters that are written in one turn of the event loop: some milliseconds. */
const chunkLength = 512 * 1024;
/** The same of values and marks between them, of which small ones take longer than their characters. */
const partsATurn = 16 * 1024;
/** A list of results holds pages, whose fields are the largest values that there are. */
const deepestField = 5;

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

/** The JSON of a value in chunks, as `JSON.stringify` writes it; other jobs go on between them. */
export async function* writeJsonChunks(value: unknown): AsyncGenerator<Buffer, void, void> {
  let text = '';
  let parts = 0;
  for (const part of writeJson(value)) {
    text += part;
    parts++;
    if (text.length >= chunkLength) {
      yield Buffer.from(text);
      text = '';
    } else if (parts < partsATurn) continue;
    parts = 0;
    await nextTurn();
  }
  if (text.length > 0) yield Buffer.from(text);
}
