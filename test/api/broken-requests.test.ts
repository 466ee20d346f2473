import { request } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, inject, test } from 'vitest';
import { call, scrapePath } from '../support/client.ts';

/** Sends bytes as they are and reads until the service closes the connection. */
async function sendBytes(bytes: string): Promise<{ status: number; head: string; body: string }> {
  const { hostname, port } = new URL(inject('stack').url);
  const socket = connect(Number(port), hostname);
  socket.write(bytes, 'latin1');
  const answer = await text(socket);
  const [head = '', body = ''] = answer.split(/\r\n\r\n([^]*)/);
  return { status: Number(/^HTTP\/1\.1 (\d{3}) /.exec(head)?.[1]), head, body };
}

const ending = 'Host: quarry\r\nConnection: close\r\n\r\n';
const posting = `POST ${scrapePath} HTTP/1.1\r\nHost: quarry\r\nConnection: close\r\n`;

test.each<[string, string, number, string]>([
  ['no Host', 'GET /livez HTTP/1.1\r\nConnection: close\r\n\r\n', 400, 'invalid_request'],
  [
    'a Host that is none',
    'GET /livez HTTP/1.1\r\nHost: a b<">\r\nConnection: close\r\n\r\n',
    400,
    'invalid_request',
  ],
  ['two Hosts', `GET /livez HTTP/1.1\r\nhOST: one\r\n${ending}`, 400, 'invalid_request'],
  ['a method that HTTP does not have', `FETCH /livez HTTP/1.1\r\n${ending}`, 405, 'method_not_allowed'],
  ['bytes in the path', `GET /\xe9 HTTP/1.1\r\n${ending}`, 400, 'invalid_request'],
  ['no HTTP at all', '\x16\x03\x01\x02\x00\r\n\r\n', 400, 'invalid_request'],
  ['a URL without end', `GET /livez?${'a'.repeat(20_000)} HTTP/1.1\r\n${ending}`, 431, 'headers_too_large'],
  ['long headers', `GET /livez HTTP/1.1\r\nX: ${'a'.repeat(20_000)}\r\n${ending}`, 431, 'headers_too_large'],
  ['two lengths', `${posting}Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}`, 400, 'invalid_request'],
  [
    'a length and chunks',
    `${posting}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n`,
    400,
    'invalid_request',
  ],
  ['a proxy request', `CONNECT example.com:443 HTTP/1.1\r\n${ending}`, 405, 'method_not_allowed'],
  ['TRACE where sign-in is', `TRACE /api/auth/get-session HTTP/1.1\r\n${ending}`, 405, 'method_not_allowed'],
])('%s is refused in the form of all refusals', async (_what, bytes, status, code) => {
  const answer = await sendBytes(bytes);
  expect(answer.status).toBe(status);
  expect(answer.head).toMatch(/\r\ncontent-type: application\/problem\+json/i);
  expect(answer.head).toMatch(/\r\nx-content-type-options: nosniff/i);
  const problem = JSON.parse(answer.body) as Record<string, unknown>;
  expect(problem).toMatchObject({ status, code });
  expect(/\r\nx-request-id: (\S+)/i.exec(answer.head)?.[1]).toBe(problem['requestId']);
  if (status === 405) expect(answer.head).toMatch(/\r\nallow: /i);
});

test('a request that brings no body is told so, whatever it says of its type', async () => {
  for (const type of ['', 'Content-Type: application/json\r\n']) {
    const answer = await sendBytes(`${posting}X-API-Key: ${inject('stack').key}\r\n${type}\r\n`);
    expect(JSON.parse(answer.body)).toMatchObject({ status: 400, code: 'invalid_request' });
    expect(answer.body).toContain('The body is empty');
  }
});

test('an expectation that is not known is passed over', async () => {
  expect((await sendBytes(`GET /livez HTTP/1.1\r\nExpect: tea\r\n${ending}`)).status).toBe(200);
});

test('what is broken behind a whole request is refused once, and ends the connection', async () => {
  const { head, body } = await sendBytes(`GET /livez HTTP/1.1\r\nHost: quarry\r\n\r\n%%%\r\n${ending}`);
  expect(`${head}${body}`.match(/HTTP\/1\.1 400/g)).toHaveLength(1);
});

test('a client that sends far too much to its end sees why it is refused, and can go on', async () => {
  const { url, key } = inject('stack');
  const statuses: (number | undefined)[] = [];
  for (let n = 0; n < 3; n++) {
    statuses.push(
      await new Promise<number | undefined>((resolve, reject) => {
        const sent = request(new URL(scrapePath, url), {
          method: 'POST',
          headers: { 'X-API-Key': key, 'Content-Type': 'application/json' },
        });
        let status: number | undefined;
        sent.on('response', (response) => (status = response.resume().statusCode));
        sent.on('error', reject);
        sent.on('close', () => resolve(status));
        sent.end(Buffer.alloc(24 * 1024 * 1024, 'x'));
      }),
    );
  }
  expect(statuses).toEqual([413, 413, 413]);
});

test('an answer does not grow with what is wrong', async () => {
  const fields = (name: string) =>
    Object.fromEntries(Array.from({ length: 60_000 }, (_, n) => [name + n, 1]));
  const long = { ['k'.repeat(500_000)]: 1, [`${'n'.repeat(300_000)}\0`]: 1 };
  const bodies = [fields('a'), { url: 'https://example.com/', headers: fields('a b') }, long];
  for (const body of bodies) {
    const answer = await call(scrapePath, { body });
    expect(answer.body).toMatchObject({ status: 400, code: 'invalid_request' });
    expect(JSON.stringify(answer.body).length).toBeLessThan(64_000);
  }
});

test.each<[string, string, Parameters<typeof call>[1], number]>([
  ['a path in other letters', '/LIVEZ', {}, 404],
  ['a method that only the path with an id has', '/api/keys/validate', { method: 'DELETE' }, 405],
  [
    'a query where the body says all',
    `${scrapePath}?render=http`,
    { body: { url: 'https://example.com/' } },
    400,
  ],
  ['a whole number in hexadecimal', '/api/proxy/jobs?limit=0x10', {}, 400],
  ['a whole number that is empty', '/api/proxy/jobs?limit=', {}, 400],
  ['a whole number with an exponent', '/api/proxy/jobs?limit=1e1', {}, 400],
])('%s is refused', async (_what, path, options, status) => {
  expect((await call(path, options)).body).toMatchObject({ status });
});

test('a call that needs no body takes one that comes as no chunks', async () => {
  const head = `POST /api/keys/validate HTTP/1.1\r\nHost: quarry\r\nConnection: close\r\nX-API-Key: ${inject('stack').key}\r\n`;
  for (const type of ['', 'Content-Type: application/json\r\n']) {
    const answer = await sendBytes(`${head}${type}Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n`);
    expect(answer.status).toBe(200);
  }
});
