import type { Service } from '../test/support/service.ts';

/** POSTs to the service and reads the whole answer. @throws Error for any status but 200. */
export async function post(
  service: Pick<Service, 'url' | 'key'>,
  path: string,
  body: unknown,
): Promise<void> {
  const response = await fetch(new URL(path, service.url), {
    method: 'POST',
    headers: { 'X-API-Key': service.key, 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  if (response.status !== 200) throw new Error(`${path} answered ${response.status}: ${text}`);
}
