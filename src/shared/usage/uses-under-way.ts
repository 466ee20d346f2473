/** Whose windows they are: that of the key (shared by its rotations), and that of its user. */
export interface Whose {
  allowanceId: string;
  userId: string;
}

/** Who uses an allowance, for which job. */
export interface Use extends Whose {
  keyId: string;
  operation: string;
  jobId: string;
}

/**
 * Uses whose job is not yet, or not yet surely, in Postgres. Where Redis loses its lists just then, its record in
 * Postgres lacks them: this process brings its own. Those that other processes have under way at that moment are not
 * brought, and are not counted.
 */
export interface UsesUnderWay {
  begin(use: Use): void;
  /** Redis has taken it, at the stamp. */
  taken(use: Use, stamp: string): void;
  end(jobId: string): void;
  ids(): string[];
  /** Of those that were taken, by an allowance or its user. */
  stampsOf(whose: Whose): { at: number; ofKey: number; ofUser: number }[];
}

export function createUsesUnderWay(): UsesUnderWay {
  const uses = new Map<string, { use: Use; at: number | null }>();
  return {
    begin: (use) => void uses.set(use.jobId, { use, at: null }),
    taken(use, stamp) {
      // Who gave up waiting has ended it.
      if (uses.has(use.jobId)) uses.set(use.jobId, { use, at: Number(stamp) });
    },
    end: (jobId) => void uses.delete(jobId),
    ids: () => [...uses.keys()],
    stampsOf: ({ allowanceId, userId }) =>
      [...uses.values()].flatMap(({ use, at }) =>
        at === null || use.userId !== userId
          ? []
          : [{ at, ofKey: use.allowanceId === allowanceId ? 1 : 0, ofUser: 1 }],
      ),
  };
}
