/**
 * Lets jobs run side by side, and a job that is suspected of killing workers run alone: when it does it again,
 * nobody else was there to be blamed.
 */
export interface SoloGate {
  /** Resolves when the job may run. @returns what lets the next ones in. */
  enter(alone: boolean): Promise<() => void>;
}

export interface SoloGateOptions {
  /** How long one that must be alone waits for the others to end by themselves, while nobody else gets in. */
  patienceMs: number;
  /** Makes those that run leave. */
  makeRoom: () => void;
}

export function createSoloGate({ patienceMs, makeRoom }: SoloGateOptions): SoloGate {
  let running = 0;
  let soloRunning = false;
  const waiting: { alone: boolean; admit: () => void }[] = [];

  function canEnter(alone: boolean): boolean {
    return alone ? running === 0 : !soloRunning;
  }

  function admitNext(): void {
    for (let first = waiting[0]; first !== undefined && canEnter(first.alone); first = waiting[0]) {
      waiting.shift();
      running++;
      soloRunning = first.alone;
      first.admit();
    }
  }

  function leave(): void {
    running--;
    soloRunning = false;
    admitNext();
  }

  return {
    async enter(alone) {
      const { promise, resolve } = Promise.withResolvers<void>();
      const turn = { alone, admit: resolve };
      // In the order of arrival: whoever is alone is not starved by those who are not.
      waiting.push(turn);
      admitNext();
      if (!alone) await promise;
      else {
        const impatience = setInterval(() => {
          if (!soloRunning && waiting[0] === turn) makeRoom();
        }, patienceMs);
        await promise.finally(() => clearInterval(impatience));
      }
      return leave;
    },
  };
}
