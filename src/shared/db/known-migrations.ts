import { readdir } from 'node:fs/promises';
import { join } from 'node:path';

export const migrationsFolder = join(import.meta.dirname, '../../../migrations');

/** In their order, without loading them. */
export async function listKnownMigrations(): Promise<string[]> {
  const files = await readdir(migrationsFolder);
  return files.flatMap((file) => /^(\d{4}-.*)\.ts$/.exec(file)?.[1] ?? []).sort();
}
