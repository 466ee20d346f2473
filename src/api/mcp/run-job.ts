import type { CallToolResult } from '@modelcontextprotocol/server';
import { listenForEnd } from '../await-job.ts';
import { type FoundJob, loadResult } from '../find-job.ts';
import { refuseBrokenText } from '../http/refuse-broken-text.ts';
import { createKeyedMutex } from '../keyed-mutex.ts';
import { isLive } from '../presenter.ts';
import { answerEnded, answerLive, answerTooLarge } from './answer-job.ts';
import type { Wanted } from './answer-text.ts';
import type { McpCall } from './tool.ts';

/** A larger one needs more memory to be read than one reading may take. */
const mostReadBytes = 32 * 1024 * 1024;

/** Large results of one user: each may wait for a process to read it, with all that it holds. */
const oneAtATime = createKeyedMutex();

/** What there is of a job: its result, or how to ask for it. @throws AppError of a job that has failed. */
export async function answerJob(call: McpCall, row: FoundJob, wanted: Wanted): Promise<CallToolResult> {
  if (isLive(row)) return answerLive(row, wanted);
  const { result } = row;
  if (result === null || Buffer.isBuffer(result)) return await answerEnded(call, { ...row, result }, wanted);
  if (result.sizeBytes > mostReadBytes) return answerTooLarge(row, result.sizeBytes);
  return await call.pause(() =>
    oneAtATime(row.user_id, async () => {
      call.signal.throwIfAborted();
      return await answerEnded(call, await loadResult(row), wanted);
    }),
  );
}

/**
 * Submits a request as a call over HTTP would, metered alike, and answers its result or the job that goes on.
 * @throws AppError of `AcceptJob`, and of a job that has failed.
 */
export async function runJob(
  call: McpCall,
  operationId: string,
  request: Record<string, unknown>,
  wanted: Wanted,
): Promise<CallToolResult> {
  const { deps, caller, requestId, signal, waitMs } = call;
  const operation = deps.catalog.findQueued(operationId);
  if (operation === undefined) throw new Error(`A tool asks for ${operationId}, which is not there`);
  refuseBrokenText(request);
  // For nobody a use would be taken.
  signal.throwIfAborted();
  const end = listenForEnd(deps, waitMs, signal);
  const accepted = await call.acceptJob({
    operation,
    request,
    caller,
    idempotencyKey: null,
    requestId,
    untilEnd: waitMs > 0,
    onId: end.onId,
  });
  const row = await end.answered(accepted, call.pause);
  return await answerJob(call, row, wanted);
}
