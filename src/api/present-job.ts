import { join } from 'node:path';
import { checkHandlers } from '../shared/catalog.ts';
import type { JobWithResult } from '../shared/jobs/find-jobs.ts';
import type { JobProgress } from '../shared/db/tables.ts';
import { AppError, type StoredError } from '../shared/errors.ts';
import type { Job } from '../shared/schemas/job.ts';
import type { ApiDeps } from './deps.ts';
import { toProblem } from './http/problem.ts';
import { clientStatusOf, type Presenter } from './presenter.ts';

/** From rows to what clients see. */
export interface JobPresenter {
  /** The job object. `origin` is the address that links are made for. */
  present(row: JobWithResult, origin: string): Job;
  /** The operation's `data`. @throws AppError: the job's own error, `result_expired`, `job_canceled`. */
  dataOf(row: JobWithResult, origin: string): unknown;
  /** As `dataOf`, but for operations with a presenter also before the job has ended. */
  recordOf(row: JobWithResult, origin: string): unknown;
}

const presentersFolder = join(import.meta.dirname, 'presenters');

const canceled: StoredError = {
  code: 'job_canceled',
  detail:
    'The job was canceled before it ended. Send the request again, with a new Idempotency-Key where it has one.',
};
const expired: StoredError = {
  code: 'result_expired',
  detail:
    'The result was deleted, because it was past its time or on request. Send the request again, with a new Idempotency-Key where it has one.',
};

function progressOfChildren(row: JobWithResult): JobProgress {
  const { total_children: total, pending_children: pending } = row;
  return total === 0 ? { done: null, total: null, note: null } : { done: total - pending, total, note: null };
}

export async function createJobPresenter(deps: ApiDeps): Promise<JobPresenter> {
  const { catalog, config, links, resultTtlMs } = deps;
  const presented = catalog.queued.filter((operation) => operation.presented);
  await checkHandlers(presented, presentersFolder);
  const presenters = new Map(
    await Promise.all(
      presented.map(async ({ id }) => {
        const module = (await import(join(presentersFolder, `${id.replace('.', '/')}.ts`))) as {
          default: Presenter;
        };
        return [id as string, module.default] as const;
      }),
    ),
  );

  function recordOf(row: JobWithResult, origin: string): unknown {
    const status = clientStatusOf(row);
    const output: unknown =
      row.result === null || status === 'expired' ? null : JSON.parse(row.result.toString());
    const presenter = presenters.get(row.operation);
    if (presenter === undefined) return output;
    const { operation } = presenter;
    const expiresAt = row.expires_at ?? new Date(Date.now() + resultTtlMs);
    const data = presenter.present({
      row,
      status,
      input: operation.input.parse(row.input),
      output,
      link: (blobId, variant) => links.sign(origin, blobId, variant, expiresAt),
    });
    return config.checkResponses ? operation.data.parse(data) : data;
  }

  function errorOf(row: JobWithResult): StoredError | null {
    const status = clientStatusOf(row);
    if (status === 'expired') return expired;
    if (status === 'canceled') return canceled;
    return row.error;
  }

  return {
    recordOf,
    dataOf(row, origin) {
      const error = errorOf(row);
      if (error !== null)
        throw new AppError(error.code, error.detail, error.errors ? { errors: error.errors } : {});
      return recordOf(row, origin);
    },
    present(row, origin) {
      const status = clientStatusOf(row);
      return {
        id: row.id,
        operation: row.operation,
        status,
        progress: row.progress ?? progressOfChildren(row),
        attempts: row.attempts,
        createdAt: row.created_at.toISOString(),
        startedAt: row.started_at?.toISOString() ?? null,
        finishedAt: row.finished_at?.toISOString() ?? null,
        expiresAt: row.expires_at?.toISOString() ?? null,
        ...(status === 'succeeded' && row.result !== null ? { result: recordOf(row, origin) } : {}),
        ...(status === 'failed' && row.error !== null ? { error: toProblem(row.error, row.request_id) } : {}),
      };
    },
  };
}
