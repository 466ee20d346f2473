import { type ErrorCode, errorKinds } from '../../shared/errors.ts';
import type { Operation } from '../../shared/operation.ts';
import { errorCodesOf } from '../../shared/declared-errors.ts';
import { hasFiles } from '../representations.ts';

/** An answer that an operation can give: what is told of it stands in `responses.ts`. */
export type PossibleAnswer =
  /** The operation's data. */
  | { kind: 'data'; status: number }
  /** 202: the job. */
  | { kind: 'job'; status: 202 }
  /** What conditional and range requests for a file get. */
  | { kind: 'part'; status: 206 | 304 | 416 }
  /** `{valid: false}`, where a refused key is the answer to the question. */
  | { kind: 'refused-key'; status: 401; codes: ErrorCode[] }
  | { kind: 'problem'; status: number; codes: ErrorCode[] };

function problemsOf(operation: Operation): PossibleAnswer[] {
  const codes = Map.groupBy(errorCodesOf(operation), (code) => errorKinds[code].status);
  return [...codes].map(([status, ofStatus]) =>
    status === 401 && operation.runs === 'api' && operation.refusal === 'invalid'
      ? { kind: 'refused-key', status, codes: ofStatus }
      : { kind: 'problem', status, codes: ofStatus },
  );
}

function successesOf(operation: Operation): PossibleAnswer[] {
  const parts = hasFiles(operation) && operation.route?.method === 'GET' ? ([206, 304, 416] as const) : [];
  if (operation.runs === 'queue') {
    return [
      { kind: 'data', status: 200 },
      { kind: 'job', status: 202 },
      ...parts.map((status) => ({ kind: 'part', status }) as const),
    ];
  }
  return [
    ...[operation.status, ...operation.otherStatuses].map((status) => ({ kind: 'data', status }) as const),
    ...parts.map((status) => ({ kind: 'part', status }) as const),
  ];
}

/** Everything that a request to an operation can be answered with; the one place that decides it. */
export function possibleAnswersOf(operation: Operation): PossibleAnswer[] {
  return [...successesOf(operation), ...problemsOf(operation)].sort((a, b) => a.status - b.status);
}
