import { expect, test } from 'vitest';
import { RedirectCookies } from '../../src/shared/egress/cookies.ts';

const headerAfter = (url: string, ...headers: string[]) => {
  const cookies = new RedirectCookies();
  cookies.store(new URL(url), headers);
  return cookies.headerFor(new URL(url));
};

test('the cookie of the longer path comes first, of equal ones the earlier', () => {
  const url = 'https://site.example/shop/stone/slate';
  expect(headerAfter(url, 'a=1; Path=/', 'b=2; Path=/shop/stone', 'c=3; Path=/', 'd=4; Path=/shop')).toBe(
    'b=2; d=4; a=1; c=3',
  );
});

test.each([
  ['Wed, 09-Jun-60 10:00:00 GMT', 'a=1'],
  ['Wed, 09 Jun 69 10:00:00 GMT', 'a=1'],
  ['Thu, 01-Jan-70 00:00:01 GMT', null],
  ['Thu, 01-Jan-99 00:00:01 GMT', null],
  ['Thu, 01-Jan-09 00:00:01 GMT', null],
  ['Thu, 01 Jan 1960 00:00:01 GMT', null],
  ['Wed, 09-Jun-2060 10:00:00 GMT', 'a=1'],
])('a cookie that expires on %s', (date, header) => {
  expect(headerAfter('https://site.example/', `a=1; Expires=${date}`)).toBe(header);
});

test.each([
  ['https:', '__Host-a=1; Secure; Path=/', true],
  ['https:', '__Secure-a=1; Secure; Domain=site.example', true],
  ['http:', '__Host-a=1; Secure; Path=/', false],
  ['http:', '__Secure-a=1; Secure', false],
  ['https:', '__Secure-a=1', false],
  ['https:', '__Host-a=1; Secure', false],
  ['https:', '__Host-a=1; Secure; Path=/shop', false],
  ['https:', '__host-a=1; Secure; Path=/; Domain=site.example', false],
  ['http:', '__Hosts=1; Path=/', true],
])('over %s %s is kept: %s', (protocol, header, isKept) => {
  expect(headerAfter(`${protocol}//site.example/shop/`, header) !== null).toBe(isKept);
});
