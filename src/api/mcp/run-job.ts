import type { CallToolResult } from '@modelcontextprotocol/server';
import { AppError } from '../../shared/errors.ts';
import { findEndedIds, type JobWithResult, liveStatuses } from '../../shared/jobs/find-jobs.ts';
import { answerEnded, answerLive, type Wanted } from './answer-job.ts';
import type { McpCall } from './tool.ts';

const isLive = (row: JobWithResult) => liveStatuses.some((status) => status === row.status);

/** What there is of a job: its result, or how to ask for it. @throws AppError of a job that has failed. */
export async function answerJob(call: McpCall, row: JobWithResult, wanted: Wanted): Promise<CallToolResult> {
  return isLive(row) ? answerLive(row) : await answerEnded(call, row, wanted);
}

/** Waits for a job that is under way, as long as a client does. */
export async function waitForJob(
  { deps, signal, waitMs }: McpCall,
  row: JobWithResult,
): Promise<JobWithResult> {
  if (!isLive(row)) return row;
  const known = new AbortController();
  const told = deps.endings.waitFor(row.id, waitMs, AbortSignal.any([signal, known.signal]));
  // It may have ended before anybody listened.
  if ((await findEndedIds(deps.jobsDb, [row.id])).length > 0) known.abort();
  return (await told) ?? (await deps.findJob(row.id)) ?? row;
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
  const waiting = new Map<string, Promise<JobWithResult | null>>();
  const { id, joined } = await call.acceptJob({
    operation,
    request,
    caller,
    idempotencyKey: null,
    requestId,
    onId: (jobId) => void waiting.set(jobId, deps.endings.waitFor(jobId, waitMs, signal)),
  });
  const endedBefore = joined && (await findEndedIds(deps.jobsDb, [id])).length > 0;
  const row = (endedBefore ? null : await waiting.get(id)) ?? (await deps.findJob(id));
  if (row === undefined) throw new AppError('not_found', 'The job was deleted while it was waited for.');
  return await answerJob(call, row, wanted);
}
