import { join } from 'node:path';
import { type Catalog, checkHandlers, type OperationFinder } from '../shared/catalog.ts';
import { loadDefault } from '../shared/load-module.ts';
import type { QueuedOperation } from '../shared/operation.ts';
import type { JobHandler } from './handler.ts';

const ownFolder = join(import.meta.dirname, 'handlers');

function folderOf(catalog: OperationFinder, operation: QueuedOperation): string {
  const extension = catalog.extensionOf(operation.id);
  return extension === undefined ? ownFolder : join(extension, 'handlers');
}

/** @throws Error where an operation lacks its handler, or a handler its operation. */
export async function checkHandlerFiles(catalog: Catalog): Promise<void> {
  const byFolder = Map.groupBy(catalog.queued, (operation) => folderOf(catalog, operation));
  await Promise.all([...byFolder].map(([folder, operations]) => checkHandlers(operations, folder)));
}

/** Loads a handler at its first use: a process that serves one queue does not load the code of the others. */
export function createHandlerLoader(
  catalog: OperationFinder,
): (operation: QueuedOperation) => Promise<JobHandler> {
  const loading = new Map<string, Promise<JobHandler>>();
  return (operation) => {
    const known = loading.get(operation.id);
    if (known !== undefined) return known;
    const file = join(folderOf(catalog, operation), `${operation.id.replace('.', '/')}.ts`);
    const handler = loadDefault<JobHandler>(file);
    loading.set(operation.id, handler);
    handler.catch(() => loading.delete(operation.id));
    return handler;
  };
}
