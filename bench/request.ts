import { Agent, request } from 'node:http';
import { text } from 'node:stream/consumers';
import type { Service } from '../test/support/service.ts';

// The client shares the machine with what is measured: this one costs the least.
const agent = new Agent({ keepAlive: true });

/** POSTs to the service and reads the whole answer. @throws Error for any status but 200. */
export async function post(
  service: Pick<Service, 'url' | 'key'>,
  path: string,
  body: unknown,
): Promise<void> {
  const json = JSON.stringify(body);
  const answer = Promise.withResolvers<{ status: number | undefined; text: string }>();
  request(new URL(path, service.url), {
    agent,
    method: 'POST',
    headers: {
      'X-API-Key': service.key,
      'Content-Type': 'application/json',
      'Content-Length': Buffer.byteLength(json),
    },
  })
    .on('error', answer.reject)
    .on('response', (response) => {
      text(response).then(
        (read) => answer.resolve({ status: response.statusCode, text: read }),
        answer.reject,
      );
    })
    .end(json);
  const { status, text: read } = await answer.promise;
  if (status !== 200) throw new Error(`${path} answered ${status}: ${read}`);
}
