import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { loadDefault } from '../shared/load-module.ts';
import type { QueueName } from '../shared/operation.ts';
import type { AiTools } from './tools/ai.ts';
import type { BrowserTools } from './tools/browser.ts';
import type { Lacking, ToolsContext, WarmedUp } from './tools/context.ts';
import type { HttpTools } from './tools/http.ts';
import type { ReviewTools } from './tools/review.ts';
import type { SeoTools } from './tools/seo.ts';
import type { VideoTools } from './tools/video.ts';

export interface ToolsByQueue {
  http: HttpTools;
  browser: BrowserTools;
  review: ReviewTools;
  video: VideoTools;
  ai: AiTools;
  seo: SeoTools;
}

/**
 * What extensions add, by queue, for its types (`declare module '…/workers/tools.ts' { interface ExtensionTools { http:
 * SlateTools } }`).
 */
// oxlint-disable-next-line typescript/no-empty-object-type -- what is merged into it is of others.
export interface ExtensionTools {}

type AddedTo<Queue extends QueueName> = Queue extends keyof ExtensionTools ? ExtensionTools[Queue] : unknown;

/** What the handlers of a queue's operations work with. */
export type ToolsOf<Queue extends QueueName> = ToolsByQueue[Queue] & AddedTo<Queue>;

type Makers = { [Queue in QueueName]: (context: ToolsContext) => Promise<ToolsByQueue[Queue]> };

/** A queue's code is loaded where it is served, and nowhere else. */
const makers: Makers = {
  http: async (context) => (await import('./tools/http.ts')).createHttpTools(context),
  browser: async (context) => await (await import('./tools/browser.ts')).createBrowserTools(context),
  review: async (context) => await (await import('./tools/review.ts')).createReviewTools(context),
  video: async (context) => (await import('./tools/video.ts')).createVideoTools(context),
  ai: async (context) => (await import('./tools/ai.ts')).createAiTools(context),
  seo: async (context) => (await import('./tools/seo.ts')).createSeoTools(context),
};

/** Makes what an extension adds to the tools of a queue: the default export of its `tools/<queue>.ts`. */
export type ExtensionToolsMaker<Queue extends QueueName> = (context: ToolsContext) => Promise<AddedTo<Queue>>;

/** @throws Error where an extension names its tools as the product does. */
async function extend<Queue extends QueueName>(
  tools: ToolsByQueue[Queue],
  queue: Queue,
  context: ToolsContext,
): Promise<ToolsOf<Queue>> {
  const extended: object = { ...tools };
  for (const folder of context.config.EXTENSIONS) {
    const file = join(folder, 'tools', `${queue}.ts`);
    if (!existsSync(file)) continue;
    const makeTools = await loadDefault<ExtensionToolsMaker<Queue>>(file);
    const added: object = Object(await makeTools(context));
    const taken = Object.keys(added).filter((name) => name in extended);
    if (taken.length > 0) throw new Error(`${file} makes tools that are there already: ${taken.join(', ')}`);
    Object.assign(extended, added);
  }
  return extended as ToolsOf<Queue>;
}

/** The tools of the queues that a process serves, each made at its first use. */
export interface Toolbox {
  /** @throws Error for a queue that this process does not serve. */
  of<Queue extends QueueName>(queue: Queue): Promise<ToolsOf<Queue>>;
  /** Makes the tools of all queues ready. @param onFailure told of each queue whose tools cannot work. */
  warmUp(onFailure: (queue: QueueName, error: unknown) => void): Promise<void>;
  /** Variables that name programs which are not found, and some of the queue's operations run. */
  lacksOf(queue: QueueName): Promise<readonly string[]>;
}

const warmsUp = (tools: object): tools is WarmedUp => 'warmUp' in tools;
const mayLack = (tools: object): tools is Lacking => 'lacks' in tools;

export function createToolbox(queues: readonly QueueName[], context: ToolsContext): Toolbox {
  const made: { [Queue in QueueName]?: Promise<ToolsOf<Queue>> } = {};
  /** Without what extensions add: it is not made twice where that fails. */
  const own: { [Queue in QueueName]?: Promise<ToolsByQueue[Queue]> } = {};

  async function ownOf<Queue extends QueueName>(queue: Queue): Promise<ToolsByQueue[Queue]> {
    const known: Promise<ToolsByQueue[Queue]> | undefined = own[queue];
    if (known !== undefined) return await known;
    const making = makers[queue](context);
    own[queue] = making as (typeof own)[Queue];
    // What failed is tried again by the next job.
    making.catch(() => delete own[queue]);
    return await making;
  }

  async function of<Queue extends QueueName>(queue: Queue): Promise<ToolsOf<Queue>> {
    if (!queues.includes(queue)) throw new Error(`This process does not serve the ${queue} queue`);
    const known: Promise<ToolsOf<Queue>> | undefined = made[queue];
    if (known !== undefined) return await known;
    const making = ownOf(queue).then((tools) => extend(tools, queue, context));
    made[queue] = making as (typeof made)[Queue];
    making.catch(() => delete made[queue]);
    return await making;
  }

  return {
    of,
    async lacksOf(queue) {
      const tools = await of(queue);
      return mayLack(tools) ? await tools.lacks() : [];
    },
    async warmUp(onFailure) {
      const warm = async (queue: QueueName) => {
        const tools = await of(queue);
        if (warmsUp(tools)) await tools.warmUp();
      };
      await Promise.all(
        queues.map((queue) => warm(queue).catch((error: unknown) => onFailure(queue, error))),
      );
    },
  };
}
