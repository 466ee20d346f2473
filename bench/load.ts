import { Pool } from 'undici';

export interface Load {
  /** Origin of the server, on loopback; the same for all. */
  url: string;
  method: 'GET' | 'POST';
  path: string;
  headers?: Record<string, string>;
  body?: string;
}

/**
 * Requests a second, with one request under way on each of `connections`, which share the loads out between them.
 * @throws Error for an answer with another status than `expected`.
 */
export async function requestRate(
  loads: readonly Load[],
  { connections, seconds, expected = 200 }: { connections: number; seconds: number; expected?: number },
): Promise<number> {
  const pool = new Pool(loads[0]?.url ?? '', { connections });
  let answers = 0;
  const start = performance.now();
  const end = start + seconds * 1_000;
  await Promise.all(
    Array.from({ length: connections }, async (_, n) => {
      const { method, path, headers = {}, body = null } = loads[n % loads.length] as Load;
      do {
        const { statusCode, body: answer } = await pool.request({ method, path, headers, body });
        await answer.dump();
        if (statusCode !== expected) throw new Error(`${path} answered ${statusCode}, not ${expected}`);
        answers += 1;
      } while (performance.now() < end);
    }),
  );
  const tookMs = performance.now() - start;
  await pool.close();
  return (answers * 1_000) / tookMs;
}
