import { join } from 'node:path';
import { type Catalog, checkHandlers } from '../shared/catalog.ts';
import type { Operation } from '../shared/operation.ts';

/** Where the API's part of operations is: the product's own folder, and that of the same use in each extension. */
export interface OperationFolders {
  own: string;
  inExtension: string;
}

/** The file of an operation. */
export function fileOf(catalog: Catalog, { id }: Operation, folders: OperationFolders): string {
  return join(folderOf(catalog, id, folders), `${id.replace('.', '/')}.ts`);
}

function folderOf(catalog: Catalog, id: string, { own, inExtension }: OperationFolders): string {
  const extension = catalog.extensionOf(id);
  return extension === undefined ? own : join(extension, inExtension);
}

/** @throws Error as `checkHandlers`. */
export async function checkFiles(
  catalog: Catalog,
  operations: readonly Operation[],
  folders: OperationFolders,
): Promise<void> {
  const byFolder = Map.groupBy(operations, ({ id }) => folderOf(catalog, id, folders));
  await Promise.all([...byFolder].map(([folder, group]) => checkHandlers(group, folder)));
}
