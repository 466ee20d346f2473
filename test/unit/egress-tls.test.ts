import { createServer } from 'node:https';
import { setDefaultCACertificates } from 'node:tls';
import { beforeAll, describe, expect, it } from 'vitest';
import type { EgressLease } from '../../src/shared/egress/types.ts';
import {
  expiredCertificate,
  strangerCertificate,
  testKey,
  trustedCertificate,
} from '../support/egress-certificates.ts';
import {
  failureOf,
  listen,
  openLoopbackDoor,
  type Origin,
  startOrigin,
  startRawOrigin,
} from '../support/egress-origin.ts';

function startTlsOrigin(cert: string, options: object = {}): Promise<Origin> {
  return listen(
    createServer({ key: testKey, cert, ...options }, (request, response) =>
      response.end(request.headers.host),
    ),
  );
}

async function withLease<T>(run: (lease: EgressLease) => Promise<T>, verifyTls = true): Promise<T> {
  await using door = openLoopbackDoor();
  await using lease = door.openLease({ verifyTls });
  return await run(lease);
}

describe('an https target', () => {
  beforeAll(() => setDefaultCACertificates([trustedCertificate, expiredCertificate]));

  it('is fetched by its name, with TLS timed and counted on the wire', async () => {
    await using origin = await startTlsOrigin(trustedCertificate);
    await withLease(async (lease) => {
      const { body, timings } = await lease.fetch({ url: `https://example.com:${origin.port}/` });
      expect(body.toString()).toBe(`example.com:${origin.port}`);
      expect(timings.tlsMs).toBeGreaterThan(0);
      expect(lease.bytesReceived).toBeGreaterThan(500);
      await lease.fetch({ url: `https://example.com:${origin.port}/` });
      expect(origin.connections).toBe(1);
    });
  });

  it('is asked in old versions only where the lease says so', async () => {
    const level = { ciphers: 'DEFAULT@SECLEVEL=0' };
    await using both = await startTlsOrigin(strangerCertificate, { minVersion: 'TLSv1', ...level });
    await using today = await startTlsOrigin(strangerCertificate);
    await using door = openLoopbackDoor();
    await using old = door.openLease({ verifyTls: false, oldTls: true });
    const urlOf = ({ port }: Origin) => ({ url: `https://example.com:${port}/` });
    expect((await old.fetch(urlOf(both))).status).toBe(200);
    expect(await failureOf(old.fetch(urlOf(today)))).toMatchObject({ code: 'target_tls_failed' });
    await using own = door.openLease({ verifyTls: false });
    expect((await own.fetch(urlOf(both))).status).toBe(200);
  });

  it.each([
    ['expired', expiredCertificate, {}, 'example.com', 'has expired'],
    ['self-signed', strangerCertificate, {}, 'example.com', 'self-signed'],
    ['for another host', trustedCertificate, {}, 'example.org', 'another host'],
    ['for another host than the address', trustedCertificate, {}, '127.0.0.1', 'another host'],
    [
      'offered with TLS 1.1 only',
      trustedCertificate,
      { minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' },
      'example.com',
      'TLS',
    ],
  ])('fails when its certificate is %s', async (_name, certificate, options, host, words) => {
    await using origin = await startTlsOrigin(certificate, options);
    await withLease(async (lease) => {
      const url = `https://${host}:${origin.port}/`;
      const failure = await failureOf(lease.fetch({ url }));
      expect([failure.code, failure.result]).toEqual(['target_tls_failed', 'tls']);
      expect(failure.detail).toContain(words);
      expect(lease.failureOf(url)).toBe(failure);
    });
  });

  it('is fetched with any certificate when the lease says so', async () => {
    await using origin = await startTlsOrigin(strangerCertificate);
    const answer = await withLease(
      (lease) => lease.fetch({ url: `https://127.0.0.1:${origin.port}/` }),
      false,
    );
    expect(answer.status).toBe(200);
  });

  it.each([
    ['speaks plain HTTP', () => startOrigin((_request, response) => response.end())],
    [
      'closes during the handshake',
      () => startRawOrigin((socket) => socket.once('data', () => socket.destroy())),
    ],
  ])('fails when the server %s', async (_name, start) => {
    await using origin = await start();
    const failure = await withLease((lease) =>
      failureOf(lease.fetch({ url: `https://127.0.0.1:${origin.port}/` })),
    );
    expect(failure.code).toBe('target_tls_failed');
  });

  it('ends with the request when the handshake never does', async () => {
    await using origin = await startRawOrigin(() => undefined);
    const url = `https://127.0.0.1:${origin.port}/`;
    const failure = await withLease((lease) => failureOf(lease.fetch({ url, timeoutMs: 150 })));
    expect(failure.code).toBe('target_timeout');
  });
});
