import type { z } from 'zod';
import type { Access, InlineOperation, OutputOf } from '../shared/operation.ts';
import type { Actor } from '../shared/db/audit-log.ts';
import type { ApiDeps } from './deps.ts';
import type { FoundJob } from './find-job.ts';
import type { Principal, SessionUser } from './http/context.ts';
import type { JobPresenter } from './present-job.ts';
import type { StoredText } from './stored-text.ts';

/** Who asks, in one of the ways that the operation's `access` has. */
export type CallerOf<Needs extends Access> = Needs extends 'key' ? Principal : SessionUser;

export interface InlineRequest<Op extends InlineOperation> {
  input: z.output<Op['input']>;
  principal: CallerOf<Op['access'][number]>;
  deps: ApiDeps;
  presenter: JobPresenter;
  /** Scheme and host that links in the answer are made for. */
  origin: string;
  /** Waits for the end of a job as long as the request's `Prefer: wait=N` says. */
  awaitEnd(row: FoundJob): Promise<FoundJob>;
  /** Who asks and from where, for the audit log. */
  actor: Actor;
}

/** What is told of a job, in each of the operation's media types, with the job's own `meta`: its times, its warnings. */
export class JobAnswer<Data> {
  readonly row: FoundJob;
  readonly data: Data;
  /** `data` as JSON, where it is known already: a large result is neither parsed nor written again. */
  readonly json: StoredText | null;

  constructor(row: FoundJob, data: Data, json: StoredText | null = null) {
    this.row = row;
    this.data = data;
    this.json = json;
  }
}

/** JSON with a status other than 200. */
export class StatusAnswer<Data> {
  readonly status: number;
  readonly data: Data;

  constructor(status: number, data: Data) {
    this.status = status;
    this.data = data;
  }
}

export interface InlineHandler<Op extends InlineOperation = InlineOperation> {
  operation: Op;
  run(
    request: InlineRequest<Op>,
  ): Promise<OutputOf<Op> | JobAnswer<OutputOf<Op>> | StatusAnswer<OutputOf<Op>>>;
}

export function defineHandler<Op extends InlineOperation>(
  operation: Op,
  run: InlineHandler<Op>['run'],
): InlineHandler<Op> {
  return { operation, run };
}
