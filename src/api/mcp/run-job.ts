import type { CallToolResult } from '@modelcontextprotocol/server';
import type { JobWithResult } from '../../shared/jobs/find-jobs.ts';
import { listenForEnd } from '../await-job.ts';
import { isLive } from '../presenter.ts';
import { answerEnded, answerLive, type Wanted } from './answer-job.ts';
import type { McpCall } from './tool.ts';

/** What there is of a job: its result, or how to ask for it. @throws AppError of a job that has failed. */
export async function answerJob(call: McpCall, row: JobWithResult, wanted: Wanted): Promise<CallToolResult> {
  return isLive(row) ? answerLive(row, wanted) : await answerEnded(call, row, wanted);
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
  const end = listenForEnd(deps, waitMs, signal);
  const accepted = await call.acceptJob({
    operation,
    request,
    caller,
    idempotencyKey: null,
    requestId,
    onId: end.onId,
  });
  const row = await end.answered(accepted);
  return await answerJob(call, row, wanted);
}
