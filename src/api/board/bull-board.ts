import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Queue } from 'bullmq';

export const boardPath = '/admin/queues';

export interface BoardAnswer {
  status: number;
  body: unknown;
}

/** Bull Board as functions: its own adapters for Koa bring 171 packages. */
export interface Board {
  /** The document of all its pages. */
  page: string;
  /** Holds its scripts, styles and pictures. */
  staticFolder: string;
  /** Answers a GET of its own API; null where it has none at the path, which begins with `/api/`. */
  answer(path: string, query: Record<string, unknown>): Promise<BoardAnswer | null>;
}

interface Route {
  pattern: RegExp;
  handle(params: Record<string, string>, query: Record<string, unknown>): Promise<BoardAnswer>;
}

const toPattern = (route: string) => new RegExp(`^${route.replaceAll(/:(\w+)/g, '(?<$1>[^/]+)')}$`);

/** Null where one is not percent-encoded text. */
function decode(params: Readonly<Record<string, string>>): Record<string, string> | null {
  try {
    return Object.fromEntries(Object.entries(params).map(([name, text]) => [name, decodeURIComponent(text)]));
  } catch {
    return null;
  }
}

/** Its template without what other hosts would be asked for. */
function fill(template: string, values: Readonly<Record<string, string>>): string {
  return template
    .replaceAll(/<link href="https:[^>]*>/g, '')
    .replaceAll(/<%[=-] (\w+) %>/g, (_, name: string) => values[name] ?? '');
}

/** Read-only: what a queue holds is a hint which row to read, so a job is canceled or repeated by its own calls. */
export async function createBoard(queues: readonly Queue[]): Promise<Board> {
  // It is for few people, rarely.
  const [{ createBullBoard }, { BullMQAdapter }] = await Promise.all([
    import('@bull-board/api'),
    import('@bull-board/api/bullMQAdapter'),
  ]);
  type ServerAdapter = Parameters<typeof createBullBoard>[0]['serverAdapter'];
  type Handed<Setter extends keyof ServerAdapter> = Parameters<ServerAdapter[Setter]>[0];
  let boardQueues: Handed<'setQueues'> = new Map();
  let uiConfig: Handed<'setUIConfig'> = {};
  let entry: Handed<'setEntryRoute'> | undefined;
  let viewsFolder = '';
  const routes: Route[] = [];

  const serverAdapter: ServerAdapter = {
    setQueues: (handed) => ((boardQueues = handed), serverAdapter),
    setUIConfig: (handed) => ((uiConfig = handed), serverAdapter),
    setEntryRoute: (handed) => ((entry = handed), serverAdapter),
    setErrorHandler: () => serverAdapter,
    setViewsPath: (folder) => ((viewsFolder = folder), serverAdapter),
    setStaticPath: () => serverAdapter,
    setApiRoutes(handed) {
      for (const { method, route, handler } of handed) {
        if (![method].flat().includes('get')) continue;
        for (const path of [route].flat()) {
          routes.push({
            pattern: toPattern(path),
            async handle(params, query) {
              const request = { queues: boardQueues, uiConfig, params, query, body: {}, headers: {} };
              const { status = 200, body } = await handler(request);
              return { status, body };
            },
          });
        }
      }
      return serverAdapter;
    },
  };
  createBullBoard({
    queues: queues.map((queue) => new BullMQAdapter(queue, { readOnlyMode: true })),
    serverAdapter,
    options: { uiConfig: { boardTitle: 'Quarry: queues', hideRedisDetails: true } },
  });
  const shown = entry?.handler({ basePath: boardPath, uiConfig });
  const template = await readFile(join(viewsFolder, shown?.name ?? ''), 'utf8');

  return {
    page: fill(template, shown?.params ?? {}),
    staticFolder: join(viewsFolder, 'static'),
    async answer(path, query) {
      for (const { pattern, handle } of routes) {
        const match = pattern.exec(path);
        if (match === null) continue;
        const params = decode(match.groups ?? {});
        return params === null ? null : await handle(params, query);
      }
      return null;
    },
  };
}
