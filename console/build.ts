/**
 * Builds the console into `console/dist`, unless what stands there is of these very sources. `npm ci` runs it
 * (`prepare`), and the one-command start beside the service where that did not happen.
 */
import { createHash } from 'node:crypto';
import { globSync } from 'node:fs';
import { readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';

const folder = import.meta.dirname;
const target = join(folder, 'dist');
const fingerprintFile = 'fingerprint';

/** Of all that the result depends on. */
async function fingerprintOf(): Promise<string> {
  const sources = globSync(['src/**/*', 'public/**/*', '*.{ts,html,json}'], {
    cwd: folder,
    withFileTypes: true,
  })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
  const hash = createHash('sha256');
  for (const file of [...sources, join(folder, '../package-lock.json')])
    hash.update(file).update(await readFile(file));
  return hash.digest('hex');
}

/** Beside each text, so that nobody compresses while somebody waits. */
async function compress(built: string): Promise<void> {
  for (const entry of await readdir(built, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || !/\.(js|css|html|svg)$/.test(entry.name)) continue;
    const file = join(entry.parentPath, entry.name);
    const bytes = await readFile(file);
    await writeFile(`${file}.gz`, gzipSync(bytes, { level: 9 }));
    await writeFile(
      `${file}.br`,
      brotliCompressSync(bytes, {
        params: { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY },
      }),
    );
  }
}

const fingerprint = await fingerprintOf();
const current = await readFile(join(target, fingerprintFile), 'utf8').catch(() => null);
if (current !== fingerprint) {
  // A development dependency: a production install that leaves it out gets a service without the console.
  const vite = await import('vite').catch(() => null);
  if (vite === null) {
    console.error(
      'The console is not built: its tools are not installed. `npm ci --include=dev` installs them.',
    );
  } else {
    // Another process may build at the same time, and one that serves must not see half of it.
    const unfinished = join(folder, `dist-${process.pid}`);
    await vite.build({
      configFile: join(folder, 'vite.config.ts'),
      logLevel: 'error',
      build: { outDir: unfinished, emptyOutDir: true },
    });
    await compress(unfinished);
    await writeFile(join(unfinished, fingerprintFile), fingerprint);
    await rm(target, { recursive: true, force: true });
    await rename(unfinished, target).catch(() => rm(unfinished, { recursive: true, force: true }));
  }
}
