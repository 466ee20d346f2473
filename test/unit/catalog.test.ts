import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { type Catalog, checkHandlers, createOperationFinder, loadCatalog } from '../../src/shared/catalog.ts';

let catalog: Catalog;
beforeAll(async () => {
  catalog = await loadCatalog();
});

async function folderWith(...files: (string | [file: string, text: string])[]): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'quarry-handlers-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  for (const entry of files) {
    const [file, text] = typeof entry === 'string' ? [entry, ''] : entry;
    await mkdir(join(folder, file, '..'), { recursive: true });
    await writeFile(join(folder, file), text);
  }
  return folder;
}

test('every contract file is found, and its id is its area and its name', async () => {
  const files = await readdir(join(import.meta.dirname, '../../src/shared/contracts'), { recursive: true });
  const ids = files
    .filter((file) => file.endsWith('.ts'))
    .map((file) => file.replace(/\.ts$/, '').replace('/', '.'));
  expect(catalog.operations.map((operation) => operation.id).toSorted()).toEqual(ids.toSorted());
  expect(catalog.findQueued('web.scrape')?.queue).toBe('http');
  expect(catalog.findQueued('web.healthz')).toBeUndefined();
});

test('every field that a client sends or gets is described or self-evident, and every operation says what it does', () => {
  for (const operation of catalog.operations) {
    expect(operation.summary, operation.id).not.toBe('');
    expect(operation.description, operation.id).toMatch(/\.$/);
  }
});

test('a contract without a handler is refused, and so is a handler without a contract', async () => {
  const operations = catalog.operations.filter((operation) => operation.id.startsWith('jobs.'));
  const files = ['jobs/delete.ts', 'jobs/get.ts', 'jobs/list.ts'];
  await expect(checkHandlers(operations, await folderWith(...files))).resolves.toBeUndefined();
  await expect(checkHandlers(operations, await folderWith(...files.slice(1)))).rejects.toThrow('jobs.delete');
  await expect(checkHandlers(operations, await folderWith(...files, 'web/scrape.ts'))).rejects.toThrow(
    'web.scrape',
  );
});

/** In a process of its own, which reads TypeScript as the service does. */
async function failureOf(module: string, code: string): Promise<string> {
  const url = JSON.stringify(new URL(`../../src/${module}`, import.meta.url));
  const program = `const it = await import(${url}); await (${code})(it).catch(({ message }) => console.log(message));`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program]);
  return stdout;
}

test('files of an extension that cannot be used are told by their path', async () => {
  const broken = await folderWith(
    ['contracts/test/one.ts', 'const x = ;'],
    ['handlers/test/one.ts', 'export {};'],
  );
  const catalogFailure = await failureOf(
    'shared/catalog.ts',
    `({ loadCatalog }) => loadCatalog([${JSON.stringify(broken)}])`,
  );
  expect(catalogFailure).toMatch(`${broken}/contracts/test/one.ts cannot be loaded: Expression expected`);

  const loaderFailure = await failureOf(
    'workers/handler-files.ts',
    `(it) => it.createHandlerLoader({ extensionOf: () => ${JSON.stringify(broken)} })({ id: 'test.one' })`,
  );
  expect(loaderFailure).toMatch(`${broken}/handlers/test/one.ts has no default export`);

  const contract = "export const one = { id: 'test.one', runs: 'queue', queue: 'htpp', route: null };";
  await expect(loadCatalog([await folderWith(['contracts/test/one.ts', contract])])).rejects.toThrow(
    'there is no queue htpp',
  );
});

test('an operation that a worker runs is found by its id alone, also of an extension', async () => {
  const extension = join(import.meta.dirname, '../support/operations');
  const finder = createOperationFinder([extension]);
  expect(await finder.findQueued('web.scrape')).toBe(catalog.findQueued('web.scrape'));
  expect(await finder.findQueued('test.noop')).toMatchObject({ id: 'test.noop', queue: 'http' });
  expect([finder.extensionOf('web.scrape'), finder.extensionOf('test.noop')]).toEqual([undefined, extension]);
  for (const id of ['web.healthz', 'web.nothing', 'nothing'])
    expect(await finder.findQueued(id)).toBeUndefined();
});
