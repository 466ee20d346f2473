import { describe, expect, it } from 'vitest';
import { AppError } from '../../src/shared/errors.ts';
import { createEgressDoor } from '../../src/shared/egress/door.ts';
import { EgressError } from '../../src/shared/egress/egress-error.ts';

const door = createEgressDoor({ allow: [] });

function refusal(url: string): EgressError {
  try {
    door.check(url);
  } catch (error) {
    if (error instanceof EgressError) return error;
    throw error;
  }
  throw new Error(`${url} was accepted`);
}

describe('a URL that may be asked for', () => {
  it.each([
    ['https://example.com', 'https://example.com/'],
    ['HTTP://EXAMPLE.com:80/a?b#c', 'http://example.com/a?b#c'],
    ['https://example.com:8443/', 'https://example.com:8443/'],
    ['http://münchen.de/', 'http://xn--mnchen-3ya.de/'],
    ['http://ex_ample.com/', 'http://ex_ample.com/'],
    ['http://example.com./', 'http://example.com./'],
    ['https://example.com/search?q=\\d+', 'https://example.com/search?q=\\d+'],
    ['http://8.8.8.8/', 'http://8.8.8.8/'],
  ])('%s is read as %s', (text, href) => expect(door.check(text).href).toBe(href));
});

describe('a URL that is wrong by its text', () => {
  it.each([
    ['', 'parse'],
    ['example.com', 'parse'],
    ['//example.com/', 'parse'],
    ['http:example.com', 'parse'],
    ['http:/example.com', 'parse'],
    ['http:///example.com', 'parse'],
    ['http://exa mple.com/', 'parse'],
    ['https://example.com/a b', 'parse'],
    ['https://example.com/ ', 'parse'],
    ['https://exam\tple.com/', 'parse'],
    ['https://example.com/\n', 'parse'],
    ['http:\\\\example.com/', 'parse'],
    ['http://example.com\\@8.8.8.8/', 'parse'],
    ['http://1.2.3.4.5/', 'parse'],
    ['http://example.com:65536/', 'parse'],
    [`https://example.com/${'a'.repeat(8_200)}`, 'parse'],
    ['ftp://example.com/', 'scheme'],
    ['javascript:alert(1)', 'scheme'],
    ['view-source:http://example.com/', 'scheme'],
    ['https://user@example.com/', 'credentials'],
    ['https://@example.com/', 'credentials'],
    ['https://:@example.com/', 'credentials'],
    ['https://:secret@example.com/', 'credentials'],
  ])('%j is an invalid request (%s)', (text, reason) => {
    const error = refusal(text);
    expect(error).toBeInstanceOf(AppError);
    expect([error.code, error.reason]).toEqual(['invalid_request', reason]);
  });
});

describe('a URL that leads inside', () => {
  it.each([
    ['http://localhost/', 'name'],
    ['http://LOCALHOST./', 'name'],
    ['http://intranet/', 'name'],
    ['http://printer.local/', 'name'],
    ['http://db.internal/', 'name'],
    ['http://x.cluster.local/', 'name'],
    ['http://router.home.arpa/', 'name'],
    ['http://a..example.com/', 'name'],
    [`http://${'a'.repeat(64)}.com/`, 'name'],
    [`http://${'a.'.repeat(130)}com/`, 'name'],
    ['http://metadata.goog/', 'name'],
    ['http://127.0.0.1/', 'address'],
    ['http://127.0.0.1:22/', 'address'],
    ['http://[::1]/', 'address'],
    ['http://example.com:22/', 'port'],
    ['http://example.com:6379/', 'port'],
    ['http://example.com:6000/', 'port'],
    ['http://8.8.8.8:25/', 'port'],
    ['http://example.com:0/', 'port'],
  ])('%s is not allowed (%s)', (url, reason) => {
    const error = refusal(url);
    expect([error.code, error.reason]).toEqual(['url_not_allowed', reason]);
  });

  it('does not tell the client whether name, address or port was the reason', () => {
    const details = ['http://localhost/', 'http://10.0.0.1/', 'http://example.com:22/'].map(
      (url) => refusal(url).detail,
    );
    expect(new Set(details).size).toBe(1);
  });
});
