import { describe, expect, it } from 'vitest';
import { createEgressDoor } from '../../src/shared/egress/door.ts';
import { failureOf, openLoopbackDoor, startOrigin } from '../support/egress-origin.ts';

function accepts(allow: string[], url: string): boolean {
  try {
    createEgressDoor({ allow }).check(url);
    return true;
  } catch {
    return false;
  }
}

describe('an entry of the allow list', () => {
  it.each([
    ['10.0.0.0/8', 'http://10.1.2.3/', true],
    ['10.0.0.0/8', 'http://10.1.2.3:8080/', true],

    ['10.0.0.0/8', 'http://192.168.0.1/', false],
    ['10.0.0.0/8', 'http://10.1.2.3:5432/', false],
    ['10.0.0.0/8:5432', 'http://10.1.2.3:5432/', true],
    ['10.0.0.0/8:5432', 'http://10.1.2.3/', false],
    ['10.0.0.7', 'http://10.0.0.7/', true],
    ['10.0.0.7', 'http://10.0.0.8/', false],
    ['10.0.0.7:81', 'http://10.0.0.7:81/', true],
    ['fd00::/8', 'http://[fd12::1]/', true],
    ['fd00::1', 'http://[fd00::1]/', true],
    ['[fd00::/8]:8080', 'http://[fd12::1]:8080/', true],
    ['[fd00::/8]:8080', 'http://[fd12::1]/', false],
    ['[fd00::1]:8080', 'http://[fd00::1]:8080/', true],
    ['127.0.0.0/8', 'http://[::ffff:127.0.0.1]/', false],
    ['127.0.0.0/8', 'http://localhost/', false],
    ['localhost:8080', 'http://localhost:8080/', true],
    ['localhost:8080', 'http://localhost/', false],
    ['LocalHost:8080', 'http://localhost.:8080/', true],
    ['minio:6379', 'http://minio:6379/', true],
    ['minio:9000', 'http://minio.example.com:6379/', false],
  ])('%s: %s is accepted: %s', (entry, url, expected) => {
    expect(accepts([entry], url)).toBe(expected);
  });

  it.each([
    'localhost',
    'a b:80',
    'http://x:80',
    '10.0.0.0/33',
    '10.0.0.1:0',
    '10.0.0.1:65536',
    '*:80',
    '2130706433:80',
    'user@x:1',
  ])('"%s" is an error that names it', (entry) =>
    expect(() => createEgressDoor({ allow: [entry] })).toThrow(entry),
  );

  it('ignores blanks around and between entries', () => {
    expect(accepts([' 10.0.0.0/8 ', ''], 'http://10.0.0.1/')).toBe(true);
  });
});

describe('what the allow list opens', () => {
  it('is asked for by a listed name that only the hosts file knows', async () => {
    await using origin = await startOrigin((_request, response) => response.end('inside'));
    await using door = createEgressDoor({ allow: [`localhost:${origin.port}`] });
    await using lease = door.openLease();
    const { body } = await lease.fetch({ url: `http://localhost:${origin.port}/` });
    expect(body.toString()).toBe('inside');
  });

  it('leaves a denied port closed on other addresses than the entry names', async () => {
    await using door = openLoopbackDoor({ allow: ['10.0.0.0/8:6379'], resolve: async () => ['8.8.8.8'] });
    await using lease = door.openLease();
    const failure = await failureOf(lease.fetch({ url: 'http://example.com:6379/' }));
    expect(failure.reason).toBe('port');
  });
});
