import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { type Catalog, checkHandlers, createOperationFinder, loadCatalog } from '../../src/shared/catalog.ts';

let catalog: Catalog;
beforeAll(async () => {
  catalog = await loadCatalog();
});

async function folderWith(...files: string[]): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'quarry-handlers-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  for (const file of files) {
    await mkdir(join(folder, file, '..'), { recursive: true });
    await writeFile(join(folder, file), '');
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

test('an operation that a worker runs is found by its id alone, also of an extension', async () => {
  const extension = join(import.meta.dirname, '../support/operations');
  const finder = createOperationFinder([extension]);
  expect(await finder.findQueued('web.scrape')).toBe(catalog.findQueued('web.scrape'));
  expect(await finder.findQueued('test.noop')).toMatchObject({ id: 'test.noop', queue: 'http' });
  expect([finder.extensionOf('web.scrape'), finder.extensionOf('test.noop')]).toEqual([undefined, extension]);
  for (const id of ['web.healthz', 'web.nothing', 'nothing'])
    expect(await finder.findQueued(id)).toBeUndefined();
});
