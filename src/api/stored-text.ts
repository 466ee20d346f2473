import { BlobGone } from '../shared/db/blobs.ts';
import { AppError } from '../shared/errors.ts';
import type { AnswerMeta } from '../shared/schemas/answer-meta.ts';
import type { Job } from '../shared/schemas/job.ts';
import { type FoundJob, type LargeResult, loadResult } from './find-job.ts';
import type { ApiContext } from './http/context.ts';
import { sendPieces } from './http/send-file.ts';
import type { JobPresenter } from './present-job.ts';

const smallBytes = 16 * 1024;

/** JSON with a result in it as it is stored, neither parsed nor written again. */
export interface StoredText {
  before: string;
  stored: Buffer | LargeResult;
  after: string;
}

/** The job object, without its result where `text` has the whole: the result is stored as clients get it. */
export async function tellJob(
  presenter: JobPresenter,
  row: FoundJob,
  origin: string,
): Promise<{ job: Job; text: StoredText | null }> {
  const stored = presenter.bytesOf(row);
  if (stored === null) return { job: presenter.present(await loadResult(row), origin), text: null };
  const job = presenter.present({ ...row, result: null }, origin);
  return { job, text: { before: `${JSON.stringify(job).slice(0, -1)},"result":`, stored, after: '}' } };
}

async function* readAround(before: Buffer, stored: LargeResult, after: Buffer): AsyncGenerator<Buffer> {
  let start = before;
  for await (const chunk of stored.read()) {
    // The first one as well: where it is gone there is no answer yet.
    yield Buffer.concat([start, chunk]);
    start = Buffer.alloc(0);
  }
  yield after;
}

export const deletedMeanwhile = () =>
  new AppError('unavailable', 'The result was deleted while it was read. Ask for the job again.');

/** Answers `{data, meta}`. @throws AppError `unavailable` where the result is deleted meanwhile. */
export async function sendStored(ctx: ApiContext, text: StoredText, meta: AnswerMeta): Promise<void> {
  const before = `{"data":${text.before}`;
  const after = `${text.after},"meta":${JSON.stringify(meta)}}`;
  const { stored } = text;
  ctx.type = 'application/json; charset=utf-8';
  if (Buffer.isBuffer(stored)) {
    // Text is written together with the headers, which is half the work where there is little of it.
    const isSmall = stored.length <= smallBytes;
    ctx.body = isSmall
      ? before + stored.toString() + after
      : Buffer.concat([Buffer.from(before), stored, Buffer.from(after)]);
    return;
  }
  const [first, last] = [Buffer.from(before), Buffer.from(after)];
  const length = first.length + stored.sizeBytes + last.length;
  await sendPieces(ctx, readAround(first, stored, last), length).catch((error: unknown) => {
    throw error instanceof BlobGone ? deletedMeanwhile() : error;
  });
}
