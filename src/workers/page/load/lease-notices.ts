import type { EgressLease } from '../../../shared/egress/types.ts';
import { AppError } from '../../../shared/errors.ts';
import type { Warning } from '../../../shared/schemas/job.ts';

/** @param dropped requests of the page that were not made, because it had made as many as it may. */
export function noticeDropped(dropped: number): Warning[] {
  if (dropped === 0) return [];
  const message = `The page asked for more than it may; ${dropped} of its requests were not made, and what they were to bring is missing.`;
  return [{ code: 'requests_dropped', message }];
}

/** What a page asked for and did not get from the door, so that it may be shown incomplete. */
export function noticeLosses(lease: Pick<EgressLease, 'outcomes' | 'signal' | 'droppedRequests'>): Warning[] {
  const warnings = noticeDropped(lease.droppedRequests);
  const refused = lease.outcomes.filter(({ result }) => result === 'refused');
  if (refused.length > 0) {
    const named = new Set(refused.map(({ host }) => host).filter((host) => host !== ''));
    const hosts = [...named].slice(0, 5).join(', ');
    const message =
      `${refused.length} requests of the page were refused, because their targets are not open to requests from here` +
      `${hosts === '' ? '' : ` (${hosts})`}; what they were to bring is missing.`;
    warnings.push({ code: 'requests_refused', message });
  }
  const { reason } = lease.signal as { reason: unknown };
  if (reason instanceof AppError && reason.code === 'target_too_large') {
    const message =
      'The page wanted more bytes than one request may receive in all; what came after that is missing.';
    warnings.push({ code: 'page_incomplete', message });
  }
  return warnings;
}
