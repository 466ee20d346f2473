import { createOperationFinder } from '../shared/catalog.ts';

export interface StoredData {
  /** Id of a queued operation, and the folders of extensions that it may be of. */
  operation: string;
  extensions: readonly string[];
  /** One of its media types that is a text. */
  type: string;
  /** The operation's data, as JSON. */
  stored: Uint8Array;
}

/** The text that a stored result is in one of its operation's media types, in UTF-8; null where it has none. */
export default async function writeText(data: StoredData): Promise<Uint8Array | null> {
  const { operation, extensions, type, stored } = data;
  const found = await createOperationFinder(extensions).findQueued(operation);
  const representation = Object.entries(found?.representations ?? {}).find(([name]) => name === type)?.[1];
  if (representation === undefined || !('text' in representation))
    throw new Error(`${operation} writes no ${type}`);
  const json = Buffer.from(stored.buffer, stored.byteOffset, stored.byteLength).toString();
  const text = representation.text(JSON.parse(json));
  return text === null ? null : Buffer.from(text);
}
