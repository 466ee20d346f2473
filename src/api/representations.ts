import type { ShownJobRow } from '../shared/jobs/find-jobs.ts';
import { AppError } from '../shared/errors.ts';
import { isJson, jsonType, type Operation, type Representation } from '../shared/operation.ts';
import { defineTask } from '../shared/tasks/task.ts';
import type { ApiDeps } from './deps.ts';
import type { LargeResult } from './find-job.ts';
import type { ApiContext } from './http/context.ts';
import { signalOf } from './http/client-gone.ts';
import { sandbox, sendFile } from './http/send-file.ts';
import { deletedMeanwhile } from './stored-text.ts';
import { createUserGate, requesterOf } from './user-gate.ts';
import type writeText from './write-text.ts';

const writeTextTask = defineTask<typeof writeText>(new URL('./write-text.ts', import.meta.url));

/**
 * A larger result is read and written as text elsewhere, where a process must be started first; one that is larger still
 * would take more memory than that may have, be it one long text. Of many small ones that is half as much.
 */
const writtenApart = { from: 2 * 1024 ** 2, to: 64 * 1024 ** 2 };

/** Of one user: each may wait for a process, with all that it holds. It is read when a process is free: what is there before is small. */
const oneAtATime = createUserGate(1);

/** What `image/*` stands for among the media types that an operation declares. */
const imageTypes = ['image/png', 'image/jpeg', 'image/webp'] as const;

/** The media types that an operation can answer besides JSON, each with how. */
export function representationsOf(operation: Operation): ReadonlyMap<string, Representation> {
  return new Map(
    Object.entries(operation.representations).flatMap(([type, representation]) =>
      (type === 'image/*' ? imageTypes : [type]).map((it) => [it, representation] as const),
    ),
  );
}

export function hasFiles(operation: Operation): boolean {
  return Object.values(operation.representations).some((it) => 'file' in it);
}

function notAcceptable(ctx: ApiContext, why: string, retryAfterSeconds?: number): AppError {
  return new AppError(
    'not_acceptable',
    `Accept: ${ctx.get('Accept').slice(0, 200)} cannot be answered${why}`,
    retryAfterSeconds === undefined ? {} : { retryAfterSeconds },
  );
}

function offerOf(operation: Operation): string {
  return [jsonType, ...Object.keys(operation.representations)].join(' or ');
}

/** There is one charset, and nothing else to choose by: of the parameters of a range only its weight counts. */
function dropParameters(ctx: ApiContext): void {
  const ranges = ctx.req.headers.accept?.split(',').map((range) => {
    const [type = '', ...parameters] = range.split(';').map((part) => part.trim());
    return [type, ...parameters.filter((parameter) => /^q\s*=/i.test(parameter))].join(';');
  });
  if (ranges !== undefined) ctx.req.headers.accept = ranges.join(', ');
}

/**
 * The media types of an operation that the client accepts, what it likes best first.
 * @throws AppError `not_acceptable`
 */
export function readAccept(ctx: ApiContext, operation: Operation): readonly string[] {
  dropParameters(ctx);
  const others = Object.keys(operation.representations).length > 0;
  if (others) ctx.vary('Accept');
  let left = [jsonType, ...(others ? representationsOf(operation).keys() : []), 'application/problem+json'];
  const accepted: string[] = [];
  while (left.length > 0) {
    const best = ctx.accepts(left);
    if (best === false) break;
    accepted.push(best);
    if (!others) break;
    left = left.filter((type) => type !== best);
  }
  if (accepted.length === 0) throw notAcceptable(ctx, `. Ask for ${offerOf(operation)}.`);
  return accepted;
}

/** Anything is accepted, and JSON not named: an operation may have a better guess. */
export function leavesOpen(ctx: ApiContext): boolean {
  const accepted = [ctx.accepts()].flat();
  return accepted.includes('*/*') && !accepted.some(isJson);
}

/** @throws AppError `not_acceptable` where what is asked for can have none of the accepted media types. */
export function requireFitting(
  ctx: ApiContext,
  operation: Operation,
  accepted: readonly string[],
  input: unknown,
): void {
  const representations = representationsOf(operation);
  const fits = (type: string): boolean => {
    const representation = representations.get(type);
    return (
      representation === undefined || !('fits' in representation) || representation.fits?.(input) !== false
    );
  };
  if (accepted.some(fits)) return;
  throw notAcceptable(
    ctx,
    `: what the request asks for has none of these media types. Ask for ${offerOf(operation)}.`,
  );
}

/** What representations are made of. */
export interface Represented {
  row: ShownJobRow;
  /** What the client's JSON has as `data`. */
  data(): Promise<unknown>;
  /** The text of `data` as it is stored; null where it is not stored but made. */
  stored: Buffer | LargeResult | null;
  /** What a file's name is told by. */
  output(): Promise<unknown>;
}

/**
 * Answers the first of the accepted media types that the result has.
 * @returns false where that is JSON, which is for the caller to answer.
 * @throws AppError `not_acceptable` where the result has none of them.
 */
export async function answerRepresentation(
  ctx: ApiContext,
  deps: ApiDeps,
  operation: Operation,
  accepted: readonly string[],
  represented: Represented,
): Promise<boolean> {
  const { row, output, stored } = represented;
  const representations = representationsOf(operation);
  for (const type of accepted) {
    const representation = representations.get(type);
    if (representation === undefined || isJson(type)) return false;
    if ('text' in representation) {
      const text =
        stored === null || sizeOf(stored) < writtenApart.from
          ? representation.text(await represented.data())
          : await writeApart(ctx, deps, row, { operation: operation.id, type, stored });
      if (text === null) continue;
      sendText(ctx, type, text);
    } else {
      const name = representation.file(await output());
      if (name === null) continue;
      if (representation.idHeader !== undefined) ctx.set(representation.idHeader, row.id);
      await sendJobFile(ctx, deps, row, name);
    }
    ctx.set('X-Job-Id', row.id);
    return true;
  }
  throw notAcceptable(ctx, `: this result has none of these media types. Ask for ${offerOf(operation)}.`);
}

/** A job that has not ended is told as JSON only. @throws AppError `not_acceptable`, to be asked again. */
export function requireJson(ctx: ApiContext, accepted: readonly string[], status: string): void {
  if (accepted.some(isJson)) return;
  throw notAcceptable(ctx, ` yet: the job is ${status}. Ask again in a moment, or ask for ${jsonType}.`, 1);
}

const sizeOf = (stored: Buffer | LargeResult): number =>
  Buffer.isBuffer(stored) ? stored.length : stored.sizeBytes;

interface LargeText {
  operation: string;
  type: string;
  stored: Buffer | LargeResult;
}

/**
 * In a process of its own: a request for it costs no use, and can be made as often as one likes.
 * @returns null also where the result is too large to be made text.
 */
async function writeApart(
  ctx: ApiContext,
  { tasks, config }: ApiDeps,
  row: ShownJobRow,
  { stored: result, ...asked }: LargeText,
): Promise<Buffer | null> {
  if (sizeOf(result) > writtenApart.to) return null;
  const signal = signalOf(ctx);
  const requester = requesterOf({ userId: row.user_id, keyId: ctx.state.principal?.keyId ?? null });
  return await oneAtATime.run(requester, signal, async () => {
    const stored = Buffer.isBuffer(result) ? result : await result.load();
    if (stored === null) throw deletedMeanwhile();
    const task = { ...asked, stored, extensions: config.EXTENSIONS };
    const text = await tasks
      .run(writeTextTask, task, { signal, owner: row.user_id })
      .catch((error: unknown) => {
        if (error instanceof AppError && error.code === 'target_too_large') return null;
        throw error;
      });
    return text && Buffer.from(text.buffer, text.byteOffset, text.byteLength);
  });
}

function sendText(ctx: ApiContext, type: string, text: string | Buffer): void {
  ctx.set('X-Content-Type-Options', 'nosniff');
  if (type === 'text/html') ctx.set('Content-Security-Policy', sandbox);
  ctx.type = `${type}; charset=utf-8`;
  ctx.body = text;
}

async function sendJobFile(ctx: ApiContext, deps: ApiDeps, row: ShownJobRow, name: string): Promise<void> {
  const file = row.files?.find((it) => it.name === name);
  if (file === undefined) throw new Error(`Job ${row.id} has no file ${name}, which its result names`);
  const store = deps.files.get(file.store);
  await sendFile(ctx, { ...file, etag: file.sha256, read: (range) => store.read(file.id, range) });
}
