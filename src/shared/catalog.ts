import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { loadModule } from './load-module.ts';
import { type InlineOperation, type Operation, queueNames, type QueuedOperation } from './operation.ts';

/** Where who runs a job finds its operation. */
export interface OperationFinder {
  findQueued(id: string): QueuedOperation | undefined | Promise<QueuedOperation | undefined>;
  /** The extension folder that the operation comes from, once it was found; undefined for the product's own. */
  extensionOf(id: string): string | undefined;
}

/** Every operation of the product, found in `contracts/<area>/<name>.ts`. */
export interface Catalog extends OperationFinder {
  readonly operations: readonly Operation[];
  readonly queued: readonly QueuedOperation[];
  readonly inline: readonly InlineOperation[];
  findQueued(id: string): QueuedOperation | undefined;
}

const ownContracts = join(import.meta.dirname, 'contracts');

function isOperation(value: unknown): value is Operation {
  return typeof value === 'object' && value !== null && 'id' in value && 'runs' in value;
}

async function loadContract(folder: string, area: string, name: string): Promise<Operation> {
  const file = join(folder, area, `${name}.ts`);
  const [operation, ...more] = Object.values(await loadModule(file)).filter(isOperation);
  const id = `${area}.${name}`;
  if (operation === undefined || more.length > 0 || operation.id !== id) {
    throw new Error(`${file} must export exactly one operation, with the id ${id}`);
  }
  // Types are not checked where an extension is run.
  if (operation.runs === 'queue' && !queueNames.includes(operation.queue))
    throw new Error(`${file}: there is no queue ${operation.queue}, only ${queueNames.join(', ')}`);
  return operation;
}

/** The names of the folders and of the TypeScript files of a two-level tree, as `area` and `name`. */
async function listByArea(folder: string): Promise<{ area: string; name: string }[]> {
  const entries = await readdir(folder, { recursive: true });
  return entries
    .map((entry) => /^([a-z-]+)\/([a-z0-9-]+)\.ts$/.exec(entry))
    .flatMap((match) => (match?.[1] && match[2] ? [{ area: match[1], name: match[2] }] : []))
    .sort((a, b) => `${a.area}.${a.name}`.localeCompare(`${b.area}.${b.name}`));
}

async function loadContracts(folder: string): Promise<Operation[]> {
  const files = await listByArea(folder);
  return await Promise.all(files.map(({ area, name }) => loadContract(folder, area, name)));
}

/**
 * @param extensions folders of operations that are not part of the product: `contracts`, and beside them `handlers` of
 * those that are queued, `api-handlers` of those that the API answers itself, `presenters` of those with `data`.
 * @throws Error where a contract file breaks the naming rule, or two operations share an id or a route.
 */
export async function loadCatalog(extensions: readonly string[] = []): Promise<Catalog> {
  const own = await loadContracts(ownContracts);
  const extending = await Promise.all(
    extensions.map(async (folder) => ({
      folder,
      operations: await loadContracts(join(folder, 'contracts')),
    })),
  );
  const extensionById = new Map<string, string>();
  for (const { folder, operations } of extending) {
    for (const { id } of operations) {
      if (extensionById.has(id) || own.some((operation) => operation.id === id))
        throw new Error(`The extension ${folder} cannot declare ${id}: it is declared elsewhere`);
      extensionById.set(id, folder);
    }
  }
  const operations = [...own, ...extending.flatMap((extension) => extension.operations)];
  const routes = new Map<string, string>();
  for (const { id, route } of operations) {
    if (route === null) continue;
    const key = `${route.method} ${route.path}`;
    const other = routes.get(key);
    if (other !== undefined) throw new Error(`${id} and ${other} both declare the route ${key}`);
    routes.set(key, id);
  }
  const queued = operations.filter((operation) => operation.runs === 'queue');
  const queuedById = new Map<string, QueuedOperation>(queued.map((operation) => [operation.id, operation]));
  return {
    operations,
    queued,
    inline: operations.filter((operation) => operation.runs === 'api'),
    findQueued: (id) => queuedById.get(id),
    extensionOf: (id) => extensionById.get(id),
  };
}

/** Loads an operation when it is asked for, by the name of its file: all of them take a tenth of a second. */
export function createOperationFinder(extensions: readonly string[]): OperationFinder {
  const extensionById = new Map<string, string>();
  return {
    async findQueued(id) {
      const [area = '', name = ''] = id.split('.');
      const isIn = (folder: string) => existsSync(join(folder, area, `${name}.ts`));
      const extension = extensions.find((it) => isIn(join(it, 'contracts')));
      if (extension !== undefined) extensionById.set(id, extension);
      const folder = extension === undefined ? ownContracts : join(extension, 'contracts');
      const operation = isIn(folder) ? await loadContract(folder, area, name) : undefined;
      return operation?.runs === 'queue' ? operation : undefined;
    },
    extensionOf: (id) => extensionById.get(id),
  };
}

/**
 * Checks at start that each operation of one side has exactly its handler file, and that no handler stands
 * on the wrong side.
 * @throws Error naming what is missing or too much.
 */
export async function checkHandlers(operations: readonly Operation[], handlersFolder: string): Promise<void> {
  const wanted = new Set(operations.map((operation) => operation.id as string));
  const found = new Set((await listByArea(handlersFolder)).map(({ area, name }) => `${area}.${name}`));
  const missing = [...wanted].filter((id) => !found.has(id));
  const surplus = [...found].filter((id) => !wanted.has(id));
  if (missing.length > 0) throw new Error(`No handler in ${handlersFolder} for ${missing.join(', ')}`);
  if (surplus.length > 0) {
    throw new Error(
      `${handlersFolder} has handlers without a contract that runs there: ${surplus.join(', ')}`,
    );
  }
}
