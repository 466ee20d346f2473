import { setTimeout as sleep } from 'node:timers/promises';
import type { Service } from '../support/service.ts';
import type { Random } from './random.ts';

/** What the service has promised: the answer to a client said 202. */
export interface Promised {
  id: string;
  operation: 'noop' | 'waves';
  /** What the result must show. */
  tag: string;
  idempotencyKey: string | null;
}

export interface Ledger {
  promised: Promised[];
  /** Requests that got no promise, by what they got. */
  refused: Map<string, number>;
}

async function requestOnce(service: Service, random: Random, ledger: Ledger, tag: string): Promise<void> {
  const operation = random.next() < 0.15 ? 'waves' : 'noop';
  const idempotencyKey = random.next() < 0.3 ? `chaos-${tag}` : null;
  const body =
    operation === 'waves' ? { value: 3, width: 4, ms: random.below(40) } : { ms: random.below(120), tag };
  // Whoever got no answer asks again, as a client with an idempotency key may.
  for (let attempt = 0; attempt < (idempotencyKey === null ? 1 : 3); attempt++) {
    const outcome = await fetch(new URL(`/api/proxy/test/v1/${operation}`, service.url), {
      method: 'POST',
      headers: {
        'X-API-Key': service.key,
        'Content-Type': 'application/json',
        Prefer: 'respond-async',
        ...(idempotencyKey === null ? {} : { 'Idempotency-Key': idempotencyKey }),
      },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(10_000),
    }).then(
      async (response) => ({
        status: response.status,
        body: (await response.json()) as { data?: { id: string }; meta?: { jobId: string } },
      }),
      () => null,
    );
    const id = outcome?.body.meta?.jobId;
    if (outcome !== null && (outcome.status === 202 || outcome.status === 200) && id !== undefined) {
      ledger.promised.push({ id, operation, tag, idempotencyKey });
      return;
    }
    const what = outcome === null ? 'no answer' : String(outcome.status);
    ledger.refused.set(what, (ledger.refused.get(what) ?? 0) + 1);
    await sleep(100);
  }
}

/** Clients that ask one thing after another until `until`. */
export async function runLoad(
  service: Service,
  random: Random,
  clients: number,
  until: number,
): Promise<Ledger> {
  const ledger: Ledger = { promised: [], refused: new Map() };
  let count = 0;
  await Promise.all(
    Array.from({ length: clients }, async () => {
      while (Date.now() < until) {
        await requestOnce(service, random, ledger, String(count++)).catch(() => undefined);
        await sleep(20 + random.below(60));
      }
    }),
  );
  return ledger;
}
