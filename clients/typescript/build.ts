/** Generates the types and routes from the contracts, and compiles the client to `dist`. */
import { spawnSync } from 'node:child_process';
import { chmod, mkdir, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import openapiTS, { astToString } from 'openapi-typescript';
import { createOpenApi } from '../../src/api/openapi.ts';
import { type Catalog, loadCatalog } from '../../src/shared/catalog.ts';
import { errorKinds } from '../../src/shared/errors.ts';

const here = import.meta.dirname;
const generated = join(here, 'src/generated');

/** What the client must know of an operation beside its types. */
function routesOf({ operations }: Catalog) {
  return Object.fromEntries(
    operations.flatMap((operation) => {
      if (operation.route === null) return [];
      const isQueued = operation.runs === 'queue';
      return [[operation.id, { ...operation.route, isQueued }]];
    }),
  );
}

async function generate(): Promise<void> {
  const catalog = await loadCatalog();
  const document = createOpenApi({ catalog, publicUrl: undefined, sessionCookie: 'quarry.session_token' });
  const types = await openapiTS(JSON.stringify(document), { defaultNonNullable: false });
  const routes = `export const routes = ${JSON.stringify(routesOf(catalog), null, 2)} as const;\n`;
  const codes = Object.keys(errorKinds).map((code) => `'${code}'`);
  await mkdir(generated, { recursive: true });
  await writeFile(join(generated, 'schema.ts'), astToString(types));
  await writeFile(
    join(generated, 'routes.ts'),
    `${routes}\n/** Stable; a later service may have more. */\nexport type ErrorCode = ${codes.join(' | ')};\n`,
  );
}

function compile(): void {
  const compiler = join(dirname(createRequire(import.meta.url).resolve('typescript')), 'tsc.js');
  const { status } = spawnSync(process.execPath, [compiler, '-p', here], { stdio: 'inherit' });
  if (status !== 0) process.exit(1);
}

await generate();
await rm(join(here, 'dist'), { recursive: true, force: true });
compile();
await chmod(join(here, 'dist/cli.js'), 0o755);
