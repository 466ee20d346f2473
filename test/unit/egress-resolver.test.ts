import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { createDnsResolve, createNameLookup } from '../../src/shared/egress/resolver.ts';

const typeA = 1;
const typeAaaa = 28;

interface DnsRecord {
  type: number;
  data: number[];
}
/** What the server says of a question; null: nothing at all. */
type Zone = (name: string, type: number) => DnsRecord[] | null;

/** A name server on loopback: one question, records that all belong to the name asked for. */
async function startNameServer(
  zone: Zone,
): Promise<AsyncDisposable & { address: string; questions: string[] }> {
  const server = createSocket('udp4');
  const questions: string[] = [];
  server.on('message', (query, from) => {
    const labels: string[] = [];
    let at = 12;
    for (let size = query[at] ?? 0; size > 0; size = query[at] ?? 0) {
      labels.push(query.toString('latin1', at + 1, at + 1 + size));
      at += size + 1;
    }
    const name = labels.join('.').toLowerCase();
    const type = query.readUInt16BE(at + 1);
    questions.push(`${name} ${type === typeA ? 'A' : 'AAAA'}`);
    const records = zone(name, type);
    if (!records) return;
    const header = Buffer.from(query.subarray(0, 12));
    header.writeUInt16BE(0x8180, 2);
    header.writeUInt16BE(records.length, 6);
    header.writeUInt32BE(0, 8);
    const answers = records.map((record) =>
      Buffer.from([0xc0, 12, 0, record.type, 0, 1, 0, 0, 0, 60, 0, record.data.length, ...record.data]),
    );
    server.send(Buffer.concat([header, query.subarray(12, at + 5), ...answers]), from.port, from.address);
  });
  server.bind(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    address: `127.0.0.1:${server.address().port}`,
    questions,
    [Symbol.asyncDispose]: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

const v4: DnsRecord = { type: typeA, data: [93, 184, 215, 14] };
const v6: DnsRecord = { type: typeAaaa, data: [0x26, 0x06, 0x47, 0, ...Array<number>(11).fill(0), 1] };

async function resolveIn(zone: Zone): Promise<string[]> {
  await using server = await startNameServer(zone);
  return await createNameLookup(createDnsResolve([server.address])).lookup('site.example.com', false);
}

describe('the resolver', () => {
  it('asks for IPv4 and IPv6', async () => {
    const answer = await resolveIn((_name, type) => (type === typeA ? [v4] : [v6]));
    expect(answer).toEqual(['93.184.215.14', '2606:4700::1']);
  });

  it('takes one family when the other has nothing', async () => {
    expect(await resolveIn((_name, type) => (type === typeA ? [v4] : []))).toEqual(['93.184.215.14']);
    expect(await resolveIn((_name, type) => (type === typeA ? [] : [v6]))).toEqual(['2606:4700::1']);
  });

  it('does not wait for an IPv6 answer that never comes', async () => {
    const startedAt = performance.now();
    expect(await resolveIn((_name, type) => (type === typeA ? [v4] : null))).toEqual(['93.184.215.14']);
    expect(performance.now() - startedAt).toBeLessThan(4_000);
  });

  it('fails as target_dns_failed when there is no address', async () => {
    await expect(resolveIn(() => [])).rejects.toMatchObject({ code: 'target_dns_failed', reason: 'dns' });
  });

  it('asks once for simultaneous and for close questions, and again after a failure', async () => {
    let known = false;
    await using server = await startNameServer((_name, type) => (known && type === typeA ? [v4] : []));
    const names = createNameLookup(createDnsResolve([server.address]));
    await expect(names.lookup('site.example.com', false)).rejects.toThrow('does not exist');
    known = true;
    const before = server.questions.length;
    await Promise.all([names.lookup('site.example.com', false), names.lookup('site.example.com', false)]);
    await names.lookup('site.example.com', false);
    expect(server.questions.slice(before).toSorted()).toEqual([
      'site.example.com A',
      'site.example.com AAAA',
    ]);
  });

  it('gives up after 5 s, or earlier when the servers are silent', async () => {
    const startedAt = performance.now();
    await expect(resolveIn(() => null)).rejects.toMatchObject({ code: 'target_dns_failed' });
    expect(performance.now() - startedAt).toBeLessThan(9_000);
  }, 20_000);
});
