import type { Look } from './video-source.ts';

const keptMs = 5 * 60_000;
const maxEntries = 300;
/** Links are not handed out on their last legs. */
const marginMs = 60_000;

export interface ExtractionCache {
  /** What is known under `key`, or what `make` finds; asked once for all who ask meanwhile. */
  get(key: string, make: () => Promise<Look>): Promise<Look>;
}

/** Looks at videos, kept for some minutes: info, formats, captions and frames of one video are asked one after the other. */
export function createExtractionCache(now: () => number = Date.now): ExtractionCache {
  const kept = new Map<string, { look: Look; until: number }>();
  const underWay = new Map<string, Promise<Look>>();

  function keep(key: string, look: Look): void {
    const expire = look.extraction.linksExpireAt;
    const until = Math.min(now() + keptMs, expire === null ? Infinity : expire - marginMs);
    kept.delete(key);
    kept.set(key, { look, until });
    const [oldest] = kept.keys();
    if (kept.size > maxEntries && oldest !== undefined) kept.delete(oldest);
  }

  return {
    async get(key, make) {
      const known = kept.get(key);
      if (known !== undefined && known.until > now()) return known.look;
      const running = underWay.get(key);
      // Who began it may be canceled; that is not the end of the others' question.
      if (running !== undefined) return await running.catch(make);
      const making = make();
      underWay.set(key, making);
      try {
        const look = await making;
        keep(key, look);
        return look;
      } finally {
        underWay.delete(key);
      }
    },
  };
}
