import type { CallToolResult } from '@modelcontextprotocol/server';
import { z } from 'zod';
import type { Catalog } from '../../shared/catalog.ts';
import type { AcceptJob } from '../accept-job.ts';
import type { ApiDeps } from '../deps.ts';
import type { Caller } from '../http/authenticate.ts';
import type { JobPresenter } from '../present-job.ts';
import type { Slot } from '../user-gate.ts';

/** One request to `/mcp`. */
export interface McpRequest {
  deps: ApiDeps;
  presenter: JobPresenter;
  acceptJob: AcceptJob;
  caller: Caller;
  requestId: string;
  /** That links in answers are made for. */
  origin: string;
  /** How long a tool waits for its job, in milliseconds. */
  waitMs: number;
  /** Aborts when the client has gone. */
  signal: AbortSignal;
}

/** What a tool works with. */
export interface McpCall extends McpRequest, Slot {}

/** What a model may ask for. */
export interface McpTool<Input extends z.ZodType = z.ZodType> {
  name: string;
  title: string;
  /** Written for a model: what it is for, and what comes back. */
  description: string;
  input: Input;
  /** It changes nothing; false of what cancels. */
  readOnly: boolean;
  /** It reads what is outside of this service. */
  openWorld: boolean;
  /** @throws AppError, which the model is told as the tool's failure. */
  run(input: z.output<Input>, call: McpCall): Promise<CallToolResult>;
}

export function defineTool<Input extends z.ZodType>(tool: McpTool<Input>): McpTool<Input> {
  return tool;
}

/** Null where the catalogue lacks the operation that the tool asks for. */
export type MakeTool = (catalog: Catalog) => McpTool | null;

export const maxTokens = (usual: number) =>
  z
    .int()
    .min(300)
    .max(20_000)
    .default(usual)
    .describe('Bound of the answer in tokens. What does not fit is kept, and read on with result_read.');

export const pageUrl = z
  .string()
  .min(1)
  .max(8_192)
  .describe('Absolute http or https URL, e.g. https://example.com/');

/** The wants whose operation is there. */
export function offered<Want extends string>(
  catalog: Catalog,
  operations: Readonly<Record<Want, string>>,
): [Want, ...Want[]] | null {
  const wants = (Object.keys(operations) as Want[]).filter((want) => catalog.findQueued(operations[want]));
  const [first, ...rest] = wants;
  return first === undefined ? null : [first, ...rest];
}
