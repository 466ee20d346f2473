import { connect } from 'node:net';
import { networkInterfaces } from 'node:os';
import { describe, expect, it } from 'vitest';
import { createEgressDoor } from '../../src/shared/egress/door.ts';
import { failureOf, openLoopbackDoor, startOrigin } from '../support/egress-origin.ts';

describe('a name that resolves', () => {
  it('is asked once and connected to at the very address that was checked', async () => {
    const answers = [['93.184.215.14'], ['127.0.0.1']];
    const dialled: string[] = [];
    let queries = 0;
    await using origin = await startOrigin((_request, response) => response.end('page'));
    await using door = createEgressDoor({
      allow: [],
      resolve: async () => answers[queries++] ?? [],
      openTcp: (address) => {
        dialled.push(address);
        return connect(origin.port, '127.0.0.1');
      },
    });
    await using lease = door.openLease();
    await lease.fetch({ url: 'http://rebind.example.com/' });
    expect({ queries, dialled }).toEqual({ queries: 1, dialled: ['93.184.215.14'] });
  });

  it.each([
    ['one private address among public ones', ['93.184.215.14', '10.0.0.1']],
    ['NAT64 of the metadata service', ['64:ff9b::a9fe:a9fe']],
    ['a mapped loopback address', ['::ffff:127.0.0.1']],
    ['a scoped address', ['fe80::1%lo']],
    ['something that is no address', ['93.184.215.14', 'metadata.google.internal']],
  ])('is refused when the answer holds %s', async (_name, answer) => {
    await using door = createEgressDoor({ allow: [], resolve: async () => answer });
    await using lease = door.openLease();
    const failure = await failureOf(lease.fetch({ url: 'http://example.com/' }));
    expect([failure.code, failure.reason]).toEqual(['url_not_allowed', 'address']);
    expect(lease.outcomes).toEqual([
      {
        host: 'example.com',
        port: 80,
        via: 'fetch',
        result: 'refused',
        reason: 'address',
        bytesReceived: 0,
        route: 'direct',
      },
    ]);
    expect(lease.failureOf('http://example.com/')?.code).toBe('url_not_allowed');
  });

  it('is refused when it leads to this machine: by a configured or by an interface address', async () => {
    const interfaces = Object.values(networkInterfaces()).flatMap((list) => list ?? []);
    const own = ['203.0.114.9', ...interfaces.map(({ address }) => address)];
    for (const address of own) {
      await using door = createEgressDoor({
        allow: [],
        ownAddresses: ['203.0.114.9'],
        resolve: async () => [address],
      });
      await using lease = door.openLease();
      const failure = await failureOf(lease.fetch({ url: 'http://self.example.com/' }));
      expect([address, failure.reason]).toEqual([address, 'address']);
    }
  });

  it('tries the next address when the first refuses', async () => {
    await using origin = await startOrigin((_request, response) => response.end('page'));
    await using door = openLoopbackDoor({
      allow: ['127.0.0.0/8'],
      resolve: async () => ['127.9.9.9', '127.0.0.1'],
    });
    await using lease = door.openLease();
    const { status } = await lease.fetch({ url: `http://example.com:${origin.port}/` });
    expect(status).toBe(200);
  });
});

describe('a name that does not resolve', () => {
  it('fails as target_dns_failed', async () => {
    await using door = createEgressDoor({
      allow: [],
      resolve: () => Promise.reject(Object.assign(new Error('no'), { code: 'ENOTFOUND' })),
    });
    await using lease = door.openLease();
    const failure = await failureOf(lease.fetch({ url: 'http://nowhere.example.com/' }));
    expect([failure.code, failure.result, failure.reason]).toEqual(['target_dns_failed', 'dns', 'dns']);
    expect(failure.detail).toContain('Check its spelling');
  });

  it('does not delay other names while it hangs, and ends with the request', async () => {
    await using origin = await startOrigin((_request, response) => response.end('page'));
    await using door = openLoopbackDoor({
      resolve: (host) =>
        host === 'slow.example.com' ? new Promise(() => undefined) : Promise.resolve(['127.0.0.1']),
    });
    await using lease = door.openLease();
    const slow = failureOf(lease.fetch({ url: 'http://slow.example.com/', timeoutMs: 1_000 }));
    const quick = lease.fetch({ url: `http://quick.example.com:${origin.port}/` });
    expect(await Promise.race([slow, quick])).toMatchObject({ status: 200 });
    expect((await slow).code).toBe('target_timeout');
  });
});
