import { Pool } from 'undici';
import type { Service } from '../test/support/service.ts';

/** One for each address that is measured; connections are kept as long as the server keeps them. */
const pools = new Map<string, Pool>();

function poolOf(url: string): Pool {
  const { origin } = new URL(url);
  const pool = pools.get(origin) ?? new Pool(origin, { bodyTimeout: 0, headersTimeout: 0 });
  pools.set(origin, pool);
  return pool;
}

/** Reads a whole answer. @throws Error for any status but 200. */
export async function get(url: string): Promise<string> {
  const { pathname, search } = new URL(url);
  const { statusCode, body } = await poolOf(url).request({ method: 'GET', path: pathname + search });
  const text = await body.text();
  if (statusCode !== 200) throw new Error(`${url} answered ${statusCode}: ${text}`);
  return text;
}

export async function head(url: string): Promise<void> {
  const { pathname, search } = new URL(url);
  await poolOf(url).request({ method: 'HEAD', path: pathname + search });
}

/** POSTs to the service and answers what it answers. @throws Error for any status but 200. */
export async function post(
  service: Pick<Service, 'url' | 'key'>,
  path: string,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<string> {
  const answer = await poolOf(service.url).request({
    method: 'POST',
    path,
    headers: { 'X-API-Key': service.key, 'Content-Type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  const text = await answer.body.text();
  if (answer.statusCode !== 200) throw new Error(`${path} answered ${answer.statusCode}: ${text}`);
  return text;
}
