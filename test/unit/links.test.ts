import { describe, expect, test } from 'vitest';
import type { ApiContext } from '../../src/api/http/context.ts';
import { createLinks } from '../../src/api/links.ts';
import { serveTunnel } from '../../src/api/tunnel.ts';

type Deps = Parameters<typeof serveTunnel>[0];

const links = createLinks('secret');
const id = '01a218fe-80e7-75fc-b521-9192811c11ed';
const expires = 4_000_000_000;
const until = new Date(expires * 1_000);
const signatureOf = (link: string) => new URL(link).searchParams.get('signature') ?? '';

const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
const cases = [
  {
    what: 'a file',
    signature: signatureOf(links.sign('http://quarry.example', id, 'original', until)),
    isValid: (given: string) => links.isValid({ fileId: id, variant: 'original', expires }, given),
  },
  {
    what: 'a tunnel',
    signature: signatureOf(links.signTunnel('http://quarry.example', id, until)),
    isValid: (given: string) => links.isTunnelValid({ jobId: id, expires }, given),
  },
];

describe.each(cases)('the signature of a link to $what', ({ signature, isValid }) => {
  test('is valid as it was signed', () => {
    expect(isValid(signature)).toBe(true);
  });

  test('is not with any other last letter', () => {
    const others = [...letters].map((letter) => signature.slice(0, -1) + letter);
    expect(others.filter(isValid)).toEqual([signature]);
  });

  test('is not with anything added or left out, or of letters of two bytes', () => {
    const others = ['=', ' ', '!', 'A', '.'].flatMap((more) => [signature + more, more + signature]);
    const changed = [...others, signature.slice(1), signature.slice(0, -1), '', 'é'.repeat(signature.length)];
    expect(changed.filter(isValid)).toEqual([]);
  });
});

test('a time with zeros before it is not what was signed', async () => {
  const query = { expires: `0${expires}`, signature: cases[1]?.signature };
  const served = serveTunnel({ links } as Deps)({ query, method: 'GET' } as unknown as ApiContext, id);
  await expect(served).rejects.toMatchObject({ code: 'forbidden' });
});
