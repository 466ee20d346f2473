import { describe, expect, it } from 'vitest';
import { parseHostList } from '../../src/shared/egress/host-list.ts';
import { createEgressDoor } from '../../src/shared/egress/door.ts';
import type { ProxyAddress } from '../../src/shared/egress/types.ts';
import { authorizationOf, failureOf, openLoopbackDoor, startOrigin } from '../support/egress-origin.ts';

describe('a lease that is bound to hosts', () => {
  it('reaches these and no other, redirects and its proxy included', async () => {
    await using other = await startOrigin((_request, response) => response.end('other'));
    await using origin = await startOrigin((request, response) => {
      if (request.url === '/away') response.writeHead(302, { location: other.url }).end();
      else response.end('here');
    });
    await using door = openLoopbackDoor();
    await using lease = door.openLease({ hosts: [`127.0.0.1:${origin.port}`] });
    expect((await lease.fetch({ url: origin.url })).body.toString()).toBe('here');
    for (const url of [other.url, `${origin.url}away`]) {
      const failure = await failureOf(lease.fetch({ url }));
      expect(failure).toMatchObject({ code: 'url_not_allowed', reason: 'host' });
      expect(await failureOf(lease.stream({ url }))).toMatchObject({ reason: 'host' });
    }
    const proxy = await lease.openProxy();
    const { status } = await sendThrough(proxy, other.url);
    expect(status).toBe(403);
    expect(other.connections).toBe(0);
  });

  it('reaches a private host that the operator has configured, which stays closed to every other lease', async () => {
    await using provider = await startOrigin((_request, response) => response.end('answer'));
    const host = `127.0.0.1:${provider.port}`;
    await using door = createEgressDoor({ allow: [], providers: [host, 'models.internal:8080'] });
    await using bound = door.openLease({ hosts: [host] });
    expect((await bound.fetch({ url: provider.url })).body.toString()).toBe('answer');
    await using client = door.openLease();
    expect((await failureOf(client.fetch({ url: provider.url }))).code).toBe('url_not_allowed');
    await using elsewhere = door.openLease({ hosts: ['models.internal:8080'] });
    expect((await failureOf(elsewhere.fetch({ url: provider.url }))).code).toBe('url_not_allowed');
    expect(() => door.check(provider.url)).toThrow('url_not_allowed');
  });

  it('does not open a private host by being bound to it', async () => {
    await using origin = await startOrigin((_request, response) => response.end('private'));
    await using door = createEgressDoor({ allow: [] });
    await using lease = door.openLease({ hosts: [`127.0.0.1:${origin.port}`] });
    expect((await failureOf(lease.fetch({ url: origin.url }))).reason).toBe('address');
  });

  it('reads hosts as a URL spells them, and refuses what is none', () => {
    const hosts = parseHostList(['API.example.com', 'minio:9000', '[fd00::1]:8080']);
    expect([hosts.has('api.example.com', 443), hosts.has('api.example.com', 80)]).toEqual([true, true]);
    expect(hosts.has('api.example.com', 8443)).toBe(false);
    expect([hosts.has('minio', 9000), hosts.has('minio', 443)]).toEqual([true, false]);
    expect(hosts.has('[fd00::1]', 8080)).toBe(true);
    for (const entry of ['', 'https://a.example', 'a/b', 'user@host', 'name:0'])
      expect(() => parseHostList([entry]), entry).toThrow(/is no host|cannot be used/);
  });
});

async function sendThrough(
  proxy: ProxyAddress & { port: number },
  url: string,
): Promise<{ status: number | undefined }> {
  const { request } = await import('node:http');
  return await new Promise((resolve, reject) => {
    const headers = { 'proxy-authorization': authorizationOf(proxy) };
    request({ host: '127.0.0.1', port: proxy.port, path: url, headers, agent: false }, (response) => {
      response.resume();
      resolve({ status: response.statusCode });
    })
      .on('error', reject)
      .end();
  });
}
