import type { z } from 'zod';
import type { QueuedOperation, RequestOf } from '../../shared/operation.ts';
import { defineHandler, type JobHandler } from '../handler.ts';
import { readEach } from './read-each.ts';

type UrlList = z.ZodType<{ urls: string[] }>;

/** The handler of an operation that `batchOf` has made of another: each URL with the options of the list. */
export function batchHandler<Batch extends QueuedOperation<UrlList>, Single extends QueuedOperation>(
  batch: Batch,
  single: Single,
): JobHandler<Batch> {
  return defineHandler(
    batch,
    ({ urls, ...options }, job) =>
      readEach(job, single, urls, (url) => ({ url, ...options }) as RequestOf<Single>) as never,
  );
}
