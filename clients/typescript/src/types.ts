import type { routes } from './generated/routes.js';
import type { components, operations } from './generated/schema.js';

export type Job = components['schemas']['Job'];
export type Meta = components['schemas']['Meta'];

export type OperationId = keyof typeof routes & keyof operations;

type Part<Op, Name extends 'query' | 'path'> = Op extends { parameters: infer Parameters }
  ? Name extends keyof Parameters
    ? [NonNullable<Parameters[Name]>] extends [never]
      ? unknown
      : NonNullable<Parameters[Name]>
    : unknown
  : unknown;

type Body<Op> = Op extends { requestBody: { content: { 'application/json': infer Json } } }
  ? Json
  : Op extends { requestBody?: { content: { 'application/json': infer Json } } }
    ? Json
    : unknown;

/** Body, query and path parameters together, as the reference has them. */
export type Input<Id extends OperationId> = Body<operations[Id]> &
  Part<operations[Id], 'query'> &
  Part<operations[Id], 'path'>;

type Success<Responses> = Responses extends { 201: infer Created }
  ? Created
  : Responses extends { 200: infer Ok }
    ? Ok
    : never;

/** `{data, meta}`, or the bare body of calls under `/api/keys`. */
export type Output<Id extends OperationId> =
  Success<operations[Id]['responses']> extends { content: { 'application/json': infer Json } } ? Json : never;

export interface CallOptions {
  /** Gives up waiting; the job goes on. */
  signal?: AbortSignal;
  /** Told of a job that is waited for, each time that it is asked for. */
  onProgress?: (job: Job) => void;
  /** The same key with the same request joins the first job. Default: a new one for each call. */
  idempotencyKey?: string;
}

type Camel<Text extends string> = Text extends `${infer Head}-${infer Rest}`
  ? `${Head}${Capitalize<Camel<Rest>>}`
  : Text;

type AreaOf<Id extends string> = Id extends `${infer Area}.${string}` ? Area : never;

/** An input without required fields may be left out. */
type Call<Id extends OperationId> =
  object extends Input<Id>
    ? (input?: Input<Id>, options?: CallOptions) => Promise<Output<Id>>
    : (input: Input<Id>, options?: CallOptions) => Promise<Output<Id>>;

/** `web.scrape-urls` is `web.scrapeUrls`. */
export type Calls = {
  [Area in AreaOf<OperationId>]: {
    [Id in OperationId as Id extends `${Area}.${infer Name}` ? Camel<Name> : never]: Call<Id>;
  };
};
