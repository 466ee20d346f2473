import { z } from 'zod';
import type { ErrorCode } from '../errors.ts';

export const jobStatuses = ['queued', 'running', 'succeeded', 'failed', 'canceled', 'expired'] as const;

/** How every job can end without a result, beside its operation's own errors. */
export const jobErrors = [
  'job_timeout',
  'job_canceled',
  'worker_lost',
  'result_expired',
] as const satisfies readonly ErrorCode[];

/** As a request names it. What is no job's id is `not_found`, not invalid. */
export const jobId = z
  .string()
  .describe("The job's id.")
  .meta({ examples: ['0197f3c2-8d3a-7c41-b6f2-2f3f1d0a9e55'] });

export const warning = z.object({
  code: z.string().describe('Stable, snake_case.'),
  message: z.string(),
});
export type Warning = z.output<typeof warning>;

/** Whether the page of an answer came from the page cache; `bypass`: it was not asked. */
export const cacheUse = z.object({
  state: z.enum(['hit', 'miss', 'bypass']),
  ageSeconds: z.int().nullable().describe('Age of the copy; null unless it is a hit.'),
});
export type CacheUse = z.output<typeof cacheUse>;

/** Where an answer's figures come from, beside the job's own work. */
export const provenance = z.object({
  sources: z.array(
    z.object({ name: z.string(), asOf: z.string().describe('The day that the figures describe, ISO 8601.') }),
  ),
  cost: z
    .object({ amount: z.number(), currency: z.string().describe('ISO 4217.') })
    .nullable()
    .describe('What a vendor charged the operator for it; null if nothing.'),
});
export type Provenance = z.output<typeof provenance>;

export const problem = z
  .object({
    type: z.string(),
    title: z.string(),
    status: z.int(),
    detail: z.string().describe('What is wrong, why, and what to do.'),
    code: z.string(),
    requestId: z.string().nullable(),
    retryable: z.boolean(),
    retryAfterSeconds: z.int().optional(),
    errors: z.array(z.object({ path: z.string(), message: z.string() })).optional(),
  })
  .meta({ id: 'Problem' });
export type Problem = z.output<typeof problem>;

const time = z.iso.datetime();

/** A job as its owner sees it. */
export const job = z
  .object({
    id: z.uuid(),
    operation: z.string().describe('E.g. `web.screenshot`.'),
    status: z.enum(jobStatuses),
    progress: z.object({
      done: z.int().nullable(),
      total: z.int().nullable().describe('Null while it is not known.'),
      note: z.string().nullable(),
    }),
    attempts: z.int().describe('How many times a worker has started the job.'),
    createdAt: time,
    startedAt: time.nullable(),
    finishedAt: time.nullable(),
    expiresAt: time.nullable().describe('When the result is deleted; null until the job has ended.'),
    files: z
      .array(
        z.object({
          name: z.string().describe('Unique within the job.'),
          contentType: z.string(),
          bytes: z.int().describe('Size in bytes.'),
          sha256: z.string().describe('SHA-256, hexadecimal.'),
          url: z.string().describe('Signed link that needs no key; it expires with the result.'),
        }),
      )
      .describe('Files that the job made besides its result; empty until it has succeeded.'),
    result: z.unknown().optional().describe('The `data` of the operation, once the job has succeeded.'),
    error: problem.optional().describe('The problem, once the job has failed.'),
  })
  .meta({ id: 'Job' });
export type Job = z.output<typeof job>;
