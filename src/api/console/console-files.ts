import { readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';

const folder = join(import.meta.dirname, '../../../console/dist');

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** In the order in which they are preferred. */
const encodings = [
  { name: 'br', suffix: '.br' },
  { name: 'gzip', suffix: '.gz' },
] as const;

export interface ConsoleFile {
  bytes: Buffer;
  type: string;
  encoding: string | null;
}

/**
 * A file of the built console, compressed where the client takes that. Undefined where there is none, as long as the
 * console is not built.
 * @param name of the built folder: one file name, or `assets/` and one.
 * @param accepts tells whether the client takes a content encoding.
 */
export async function findConsoleFile(
  name: string,
  accepts: (encoding: string) => boolean,
): Promise<ConsoleFile | undefined> {
  const type = types[extname(name)];
  if (type === undefined || !/^(assets\/)?[\w-][\w.-]*$/.test(name)) return undefined;
  const encoding = encodings.find((known) => accepts(known.name));
  const bytes = await readFile(join(folder, name + (encoding?.suffix ?? ''))).catch(() => undefined);
  return bytes && { bytes, type, encoding: encoding?.name ?? null };
}
