import { join } from 'node:path';
import type { JobWithResult } from '../shared/jobs/find-jobs.ts';
import type { JobProgress } from '../shared/db/tables.ts';
import { fromStoredError, type StoredError } from '../shared/errors.ts';
import type { JobFile } from '../shared/files/file-store.ts';
import { loadDefault } from '../shared/load-module.ts';
import { storedInputOf } from '../shared/operation.ts';
import type { Job } from '../shared/schemas/job.ts';
import type { ApiDeps } from './deps.ts';
import { checkFiles, fileOf } from './operation-folder.ts';
import type { FoundJob, LargeResult } from './find-job.ts';
import { toProblem } from './http/problem.ts';
import type { FileVariant } from './links.ts';
import { clientStatusOf, type Presenter } from './presenter.ts';

/** From rows to what clients see. */
export interface JobPresenter {
  /** The job object. `origin` is the address that links are made for. */
  present(row: JobWithResult, origin: string): Job;
  /** The operation's `data`. @throws AppError: the job's own error, `result_expired`, `job_canceled`. */
  dataOf(row: JobWithResult, origin: string): unknown;
  /** The stored output; null until there is one. */
  outputOf(row: JobWithResult): unknown;
  /** The text of `dataOf` as it is stored; null where it is not stored but made, or where there is none. */
  bytesOf(row: FoundJob): Buffer | LargeResult | null;
  /** As `dataOf`, but for operations with a presenter also before the job has ended. */
  recordOf(row: JobWithResult, origin: string): unknown;
}

const byName = new Intl.Collator('en', { numeric: true });
const presenterFolders = { own: join(import.meta.dirname, 'presenters'), inExtension: 'presenters' };

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

function getFile(row: JobWithResult, name: string): JobFile {
  const file = row.files?.find((it) => it.name === name);
  if (file === undefined) throw new Error(`Job ${row.id} has no file ${name}`);
  return file;
}

/** The stored output; null until there is one. */
function outputOf(row: JobWithResult): unknown {
  return row.result === null ? null : JSON.parse(row.result.toString());
}

export async function createJobPresenter(deps: ApiDeps): Promise<JobPresenter> {
  const { catalog, config, links, resultTtlMs } = deps;
  const presented = catalog.queued.filter((operation) => operation.presented);
  await checkFiles(catalog, presented, presenterFolders);
  const presenters = new Map(
    await Promise.all(
      presented.map(async (operation) => {
        const file = fileOf(catalog, operation, presenterFolders);
        return [operation.id as string, await loadDefault<Presenter>(file)] as const;
      }),
    ),
  );

  /** Links live as long as the result. */
  function linkTo(row: JobWithResult, origin: string) {
    const expiresAt = row.expires_at ?? new Date(Date.now() + resultTtlMs);
    return ({ id }: JobFile, variant: FileVariant = 'original') => links.sign(origin, id, variant, expiresAt);
  }

  function filesOf(row: JobWithResult, origin: string): Job['files'] {
    const link = linkTo(row, origin);
    // Those that are written side by side are there in any order.
    return (row.files ?? [])
      .toSorted((a, b) => byName.compare(a.name, b.name))
      .map((file) => ({
        name: file.name,
        contentType: file.contentType,
        bytes: file.sizeBytes,
        sha256: file.sha256,
        url: link(file),
      }));
  }

  function recordOf(row: JobWithResult, origin: string): unknown {
    const status = clientStatusOf(row);
    const output = status === 'expired' ? null : outputOf(row);
    const presenter = presenters.get(row.operation);
    if (presenter === undefined) return output;
    const { operation } = presenter;
    const data = presenter.present({
      row,
      status,
      input: storedInputOf(operation, row.input),
      output,
      link: (fileName, variant) => linkTo(row, origin)(getFile(row, fileName), variant),
      tunnelLink: (expiresAt) => links.signTunnel(origin, row.id, expiresAt),
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
    outputOf,
    bytesOf(row) {
      const isPlain = clientStatusOf(row) === 'succeeded' && !presenters.has(row.operation);
      return isPlain ? row.result : null;
    },
    recordOf,
    dataOf(row, origin) {
      const error = errorOf(row);
      if (error !== null) throw fromStoredError(error);
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
        files: status === 'succeeded' ? filesOf(row, origin) : [],
        ...(status === 'succeeded' && row.result !== null ? { result: recordOf(row, origin) } : {}),
        ...(status === 'failed' && row.error !== null ? { error: toProblem(row.error, row.request_id) } : {}),
      };
    },
  };
}
