import type { ClaimedDelivery } from '../../shared/db/webhook-claims.ts';
import type { WebhookAttempt } from '../../shared/db/tables.ts';
import type { EgressDoor, EgressStream } from '../../shared/egress/types.ts';
import { AppError } from '../../shared/errors.ts';
import { signatureHeaders } from './signature.ts';

const answersWithinMs = 10_000;
/** Of the answer. */
const keptBytes = 500;

/** A message as it goes out. */
export interface OutgoingMessage {
  delivery: Pick<ClaimedDelivery, 'id' | 'url' | 'claimed_at'>;
  body: string;
  secrets: readonly string[];
  signal: AbortSignal;
}

/** What has come of the answer within `ms`, also where its end does not, or cannot be read: the status was the answer. */
async function readStart(body: EgressStream['body'], ms: number): Promise<string> {
  const pieces: Buffer[] = [];
  const timer = setTimeout(() => body.destroy(), ms);
  try {
    for await (const piece of body) {
      pieces.push(piece);
      if (pieces.reduce((sum, { length }) => sum + length, 0) >= keptBytes) break;
    }
  } catch {
    // What came before is told.
  } finally {
    clearTimeout(timer);
  }
  // Postgres stores no NUL, and JSON has six characters for each of the others.
  return Buffer.concat(pieces)
    .subarray(0, keptBytes)
    .toString()
    .replaceAll(/(?![\t\n\r])\p{Cc}/gu, '\ufffd');
}

/**
 * One attempt, through the door: the name is looked up and its addresses are checked anew. A redirect is an answer like
 * any other.
 */
export async function sendMessage(egress: EgressDoor, message: OutgoingMessage): Promise<WebhookAttempt> {
  const { delivery, body, secrets, signal } = message;
  // The time that the log tells this attempt by.
  const at = delivery.claimed_at;
  const start = performance.now();
  const ms = () => Math.round(performance.now() - start);
  await using lease = egress.openLease({ byteBudget: 1024 * 1024, signal });
  try {
    const { status, body: answer } = await lease.stream({
      url: delivery.url,
      method: 'POST',
      originHeaders: {
        'content-type': 'application/json; charset=utf-8',
        'user-agent': 'Quarry-Webhooks/1',
        ...signatureHeaders({ id: delivery.id, at, body }, secrets),
      },
      body,
      redirect: 'manual',
      timeoutMs: answersWithinMs,
      firstByteTimeoutMs: answersWithinMs,
      signal,
    });
    const text = await readStart(answer, answersWithinMs - ms());
    return { at: at.toISOString(), status, error: null, answer: text, ms: ms() };
  } catch (error) {
    // The reason of an abort is no failure of the receiver's.
    const code = signal.aborted ? 'interrupted' : error instanceof AppError ? error.code : 'internal_error';
    return { at: at.toISOString(), status: null, error: code, answer: null, ms: ms() };
  }
}
