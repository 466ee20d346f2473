import { Agent, request as send } from 'node:http';
import type { SeenAnswer } from './api-document.ts';

export interface RawRequest {
  method: string;
  /** Path and query, sent letter by letter. */
  target: string;
  headers: Record<string, string>;
  body: string | null;
}

const agent = new Agent({ keepAlive: true });

/** One request that nothing mends on its way, unlike `fetch`. */
export async function callRaw(
  base: string,
  { method, target, headers, body }: RawRequest,
): Promise<SeenAnswer> {
  const { hostname, port } = new URL(base);
  const length = body === null ? {} : { 'Content-Length': String(Buffer.byteLength(body)) };
  return await new Promise<SeenAnswer>((resolve, reject) => {
    const sent = send({ agent, hostname, port, method, path: target, headers: { ...headers, ...length } });
    sent.once('response', (response) => {
      const parts: Buffer[] = [];
      response.on('data', (part: Buffer) => parts.push(part));
      response.once('error', reject);
      response.once('end', () => {
        const names = Object.entries(response.headers).map(([name, value]) => [name, String(value)]);
        resolve({
          status: response.statusCode ?? 0,
          headers: Object.fromEntries(names) as Record<string, string>,
          body: Buffer.concat(parts),
        });
      });
    });
    // A refused body is not read to its end: the answer comes first, then the connection breaks.
    sent.once('error', reject);
    sent.end(body ?? undefined);
  });
}
