import { answerText, type ReadJob, type Wanted } from './answer-text.ts';

export interface StoredTextTask {
  row: ReadJob;
  /** The result, as JSON. */
  stored: Uint8Array;
  wanted: Wanted;
}

/** The part that is asked for of a result as it is stored. */
export default function readStoredText({ row, stored, wanted }: StoredTextTask): string {
  const json = Buffer.from(stored.buffer, stored.byteOffset, stored.byteLength).toString();
  return answerText(row, JSON.parse(json), wanted);
}
