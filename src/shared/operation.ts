import type { z } from 'zod';
import type { ErrorCode } from './errors.ts';

export const queueNames = ['http', 'browser', 'review', 'video', 'ai', 'seo'] as const;
export type QueueName = (typeof queueNames)[number];

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** Path parameters are written `{name}`. */
export interface Route {
  method: Method;
  path: `/${string}`;
}

/** How long a request waits for what takes longer than a page, in milliseconds: many proxies give up after two minutes. */
export const longWaitMs = 110_000;

export const jsonType = 'application/json';

export const isJson = (type: string): boolean => /^application\/(problem\+)?json$/.test(type);

/** How an answer is made in another media type than JSON; null where this result has it not. */
export type Representation<Output = unknown, Data = unknown> =
  /** Made from the client's data. */
  | { text(data: Data): string | null }
  /** A file of the job, by its name. */
  | {
      file(output: Output): string | null;
      idHeader?: 'X-Screenshot-Id';
      /** Whether what this input asks for can have it; without it all may. */
      fits?(input: unknown): boolean;
    };

/** By media type. `image/*` is PNG, JPEG or WebP, as the file has it. */
export type Representations<Output = unknown, Data = unknown> = Readonly<
  Record<`${string}/${string}`, Representation<Output, Data>>
>;

interface OperationBase<Input extends z.ZodType, Output extends z.ZodType> {
  /** `area.name`; the contract's and the handler's file is `<area>/<name>.ts`. */
  id: `${string}.${string}`;
  summary: string;
  description: string;
  /** The validated request: body and path parameters (POST), or query and path parameters (GET, DELETE). */
  input: Input;
  /** What the handler returns. */
  output: Output;
  /** Codes of its own, beside those of all that run where it runs and are asked for as it is. */
  errors: readonly ErrorCode[];
}

/** Runs in a worker; its row in Postgres is the promise to the client. */
export interface QueuedOperation<
  Input extends z.ZodType = z.ZodType,
  Output extends z.ZodType = z.ZodType,
  Data extends z.ZodType = z.ZodType,
  Queue extends QueueName = QueueName,
> extends OperationBase<Input, Output> {
  runs: 'queue';
  queue: Queue;
  /** Null: internal, only other operations call it. */
  route: Route | null;
  /** The client's `data`, where it differs from the stored output: made by a presenter of the same id. */
  data: Data;
  /** True where `data` is made from the output by a presenter. */
  presented: boolean;
  /** What `Accept` can choose besides JSON: texts of the data, files that the stored output tells of. */
  representations: Representations<z.output<Output>, z.output<Data>>;
  /** The media type that is answered where `Accept` leaves it open: JSON, which is the default, or one of the representations. */
  preferredType?(input: z.output<Input>): string;
  /** URLs of the input that the egress rules check before the job is accepted. */
  targets(input: z.output<Input>): readonly string[];
  /** Bound of one run, its children included, in milliseconds. */
  timeoutMs(input: z.output<Input>): number;
  /**
   * Bound of the stored result, as JSON, and of the results together that one `callAll` gathers, in bytes; left out:
   * 128 MB and 64 MB. They are in the memory of the worker at once.
   */
  maxResultBytes?: number;
  /** Codes that another run may not meet again, with the runs that are given besides; unknown errors always get two. */
  retries: Partial<Record<ErrorCode, number>>;
  /** How long a client's request waits for the result before the 202, in milliseconds. */
  waitMs: number;
}

/** `key`: an API key; `session`: a signed-in user; `admin`: one with that role. */
export type Access = 'key' | 'session' | 'admin';

/** Runs in the API process itself. */
export interface InlineOperation<
  Input extends z.ZodType = z.ZodType,
  Output extends z.ZodType = z.ZodType,
  Needs extends Access = Access,
> extends OperationBase<Input, Output> {
  runs: 'api';
  route: Route;
  /** Who may call it, in any of these ways; an API key that is sent goes first. */
  access: readonly Needs[];
  /** Status of a success. */
  status: 200 | 201;
  /** Statuses besides that carry the output too, e.g. a 503 that tells what is down. */
  otherStatuses: readonly number[];
  /** `envelope`: `{data, meta}`; `bare`: the output alone. */
  answer: 'envelope' | 'bare';
  /** How a key that is not accepted is answered: as every problem, or 401 `{valid: false, error, code}`. */
  refusal: 'problem' | 'invalid';
  /** `Prefer: wait=N` waits for the end of the job that it tells of; without it nothing is waited for. */
  waits: boolean;
  /** As of a queued operation; its handler answers a `JobAnswer`, whose data tells of both. */
  representations: Representations<z.output<Output>, z.output<Output>>;
}

export type Operation = QueuedOperation | InlineOperation;

type QueuedSpec<I extends z.ZodType, O extends z.ZodType, Queue extends QueueName> = OperationBase<I, O> &
  Pick<QueuedOperation<I, O, z.ZodType, Queue>, 'queue' | 'route' | 'timeoutMs'> &
  Partial<Pick<QueuedOperation<I, O>, 'targets' | 'preferredType' | 'maxResultBytes' | 'retries' | 'waitMs'>>;

interface Represented<O extends z.ZodType, D extends z.ZodType> {
  representations?: Representations<z.output<O>, z.output<D>>;
}

type InlineSpec<Needs extends Access> = Pick<InlineOperation, 'route'> & {
  access: readonly Needs[];
} & Partial<Pick<InlineOperation, 'status' | 'otherStatuses' | 'answer' | 'refusal' | 'waits'>>;

/**
 * The one declaration of an endpoint or job. The API mounts it, a queue carries it, a worker runs it; the
 * types of its input and output hold all the way.
 */
export function defineOperation<I extends z.ZodType, O extends z.ZodType, Queue extends QueueName>(
  spec: QueuedSpec<I, O, Queue> & Represented<O, O>,
): QueuedOperation<I, O, O, Queue>;
export function defineOperation<
  I extends z.ZodType,
  O extends z.ZodType,
  D extends z.ZodType,
  Queue extends QueueName,
>(spec: QueuedSpec<I, O, Queue> & Represented<O, D> & { data: D }): QueuedOperation<I, O, D, Queue>;
export function defineOperation<I extends z.ZodType, O extends z.ZodType, Needs extends Access>(
  spec: OperationBase<I, O> & InlineSpec<Needs> & Represented<O, O>,
): InlineOperation<I, O, Needs>;
export function defineOperation(
  spec:
    | (QueuedSpec<z.ZodType, z.ZodType, QueueName> & Represented<z.ZodType, z.ZodType> & { data?: z.ZodType })
    | (OperationBase<z.ZodType, z.ZodType> & InlineSpec<Access> & Represented<z.ZodType, z.ZodType>),
): Operation {
  if (!('queue' in spec)) {
    const defaults = {
      representations: {},
      status: 200,
      otherStatuses: [],
      answer: 'envelope',
      refusal: 'problem',
      waits: false,
    } as const;
    return Object.freeze({ ...defaults, ...spec, runs: 'api' });
  }
  return Object.freeze({
    representations: {},
    waitMs: 30_000,
    targets: () => [],
    retries: {},
    ...spec,
    runs: 'queue',
    data: spec.data ?? spec.output,
    presented: spec.data !== undefined,
  });
}

export type InputOf<Op extends Operation> = z.output<Op['input']>;
export type RequestOf<Op extends Operation> = z.input<Op['input']>;
export type OutputOf<Op extends Operation> = z.output<Op['output']>;
export type DataOf<Op extends QueuedOperation> = z.output<Op['data']>;

/** The input of a job that has ended. What an older version took and this one would not is shown as it was stored. */
export function storedInputOf<Op extends QueuedOperation>(operation: Op, stored: unknown): InputOf<Op> {
  const { success, data } = operation.input.safeParse(stored);
  return (success ? data : stored) as InputOf<Op>;
}
