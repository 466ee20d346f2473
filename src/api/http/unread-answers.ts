import type { ServerResponse } from 'node:http';

export interface UnreadBounds {
  /** Bytes that wait for the clients of one user or address, and for all clients. */
  ofOwner: number;
  inAll: number;
  lookEveryMs: number;
}

/** What one process holds of answers that are on their way. */
const usualBounds: UnreadBounds = {
  ofOwner: 128 * 1024 ** 2,
  inAll: 512 * 1024 ** 2,
  lookEveryMs: 1_000,
};

interface Sending {
  owner: string;
  /** Of a body that is read as it is sent, what is held beside what waits in its connection. */
  ahead: number;
  /** Bytes that the client had taken at the last look, and has taken since the one before. */
  taken: number;
  progress: number;
}

/**
 * Ends answers that their clients do not take, once such answers hold more memory than they may: first those of which
 * least was taken lately. One by itself may be taken as slowly as its client likes.
 */
export function createUnreadAnswers(bounds: UnreadBounds = usualBounds): {
  /** Counts an answer from here on to its end. @param ahead of a body that is read as it is sent. */
  watch(response: ServerResponse, owner: string, ahead: number): void;
} {
  const sending = new Map<ServerResponse, Sending>();
  let timer: NodeJS.Timeout | undefined;

  const heldBy = (response: ServerResponse, { ahead }: Sending): number =>
    response.writableLength > 0 ? response.writableLength + ahead : 0;

  function note(response: ServerResponse, one: Sending): void {
    const { bytesWritten = 0, writableLength = 0 } = response.socket ?? {};
    const taken = bytesWritten - writableLength;
    one.progress = taken - one.taken;
    one.taken = taken;
  }

  function look(): void {
    const held = [...sending].map(([response, one]) => {
      note(response, one);
      return { response, one, bytes: heldBy(response, one) };
    });
    const ofOwner = new Map<string, number>();
    let inAll = 0;
    for (const { one, bytes } of held) {
      ofOwner.set(one.owner, (ofOwner.get(one.owner) ?? 0) + bytes);
      inAll += bytes;
    }
    const bySlowness = held
      .filter(({ bytes }) => bytes > 0)
      .toSorted((a, b) => a.one.progress - b.one.progress);
    const end = (isTooMuch: (owner: string) => boolean): void => {
      for (const { response, one, bytes } of bySlowness) {
        if (response.destroyed || !isTooMuch(one.owner)) continue;
        ofOwner.set(one.owner, (ofOwner.get(one.owner) ?? 0) - bytes);
        inAll -= bytes;
        response.destroy();
      }
    };
    end((owner) => (ofOwner.get(owner) ?? 0) > bounds.ofOwner);
    // Then of whoever holds most.
    const largest = () => Math.max(...ofOwner.values());
    while (inAll > bounds.inAll) end((owner) => inAll > bounds.inAll && ofOwner.get(owner) === largest());
    if (sending.size === 0) {
      clearInterval(timer);
      timer = undefined;
    }
  }

  return {
    watch(response, owner, ahead) {
      if (response.closed || response.destroyed) return;
      const one = { owner, ahead, taken: 0, progress: 0 };
      note(response, one);
      sending.set(response, one);
      response.once('close', () => sending.delete(response));
      timer ??= setInterval(look, bounds.lookEveryMs).unref();
    },
  };
}
