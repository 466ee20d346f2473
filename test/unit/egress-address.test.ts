import fc from 'fast-check';
import ipaddr from 'ipaddr.js';
import { describe, expect, it } from 'vitest';
import { isPublicAddress } from '../../src/shared/egress/address.ts';
import { parseAllowList } from '../../src/shared/egress/allow-list.ts';
import { createTargetPolicy } from '../../src/shared/egress/policy.ts';
import { checkTargetText } from '../../src/shared/egress/target-url.ts';

const closedRanges = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
  '168.63.129.16/32',
];

const closedAddress = fc
  .record({ range: fc.constantFrom(...closedRanges), offset: fc.nat({ max: 2 ** 32 - 1 }) })
  .map(({ range, offset }) => {
    const [base, bits] = ipaddr.IPv4.parseCIDR(range);
    const start = base.toByteArray().reduce((sum, byte) => sum * 256 + byte, 0);
    return start + (offset % 2 ** (32 - bits));
  });

function bytesOf(number: number): number[] {
  return [24, 16, 8, 0].map((shift) => Math.floor(number / 2 ** shift) % 256);
}

describe('an IPv4 address that is not of the public Internet', () => {
  const policy = createTargetPolicy(parseAllowList([]), []);
  const spellings: Record<string, (number: number) => string> = {
    'dotted quad': (n) => bytesOf(n).join('.'),
    decimal: (n) => String(n),
    hexadecimal: (n) => `0x${n.toString(16)}`,
    octal: (n) => `0${n.toString(8)}`,
    'octal parts': (n) =>
      bytesOf(n)
        .map((byte) => `0${byte.toString(8)}`)
        .join('.'),
    'hexadecimal parts': (n) =>
      bytesOf(n)
        .map((byte) => `0x${byte.toString(16)}`)
        .join('.'),
    'two parts': (n) => `${Math.floor(n / 2 ** 24)}.${n % 2 ** 24}`,
    'three parts': (n) => `${Math.floor(n / 2 ** 24)}.${Math.floor(n / 2 ** 16) % 256}.${n % 2 ** 16}`,
    'a trailing dot': (n) => `${bytesOf(n).join('.')}.`,
    'percent-encoded digits': (n) =>
      bytesOf(n)
        .join('.')
        .replaceAll(/\d/g, (digit) => `%3${digit}`),
    'full-width digits': (n) =>
      bytesOf(n)
        .join('.')
        .replaceAll(/\d/g, (digit) => String.fromCharCode(0xff10 + Number(digit))),
    'mapped into IPv6': (n) => `[::ffff:${bytesOf(n).join('.')}]`,
    'compatible IPv6': (n) => `[::${bytesOf(n).join('.')}]`,
    NAT64: (n) => `[64:ff9b::${bytesOf(n).join('.')}]`,
    'local NAT64': (n) => `[64:ff9b:1::${bytesOf(n).join('.')}]`,
    SIIT: (n) => `[::ffff:0:${bytesOf(n).join('.')}]`,
    '6to4': (n) => `[2002:${Math.floor(n / 65536).toString(16)}:${(n % 65536).toString(16)}::1]`,
  };

  it.each(Object.entries(spellings))('is refused when spelled as %s', (_name, spell) => {
    fc.assert(
      fc.property(closedAddress, (number) => {
        expect(checkTargetText(`http://${spell(number)}/`, policy).error?.reason).toBe('address');
      }),
      { numRuns: 200 },
    );
  });
});

describe('isPublicAddress', () => {
  it.each(['8.8.8.8', '100.128.0.1', '198.20.0.1', '172.32.0.1', '1.1.1.1', '223.255.255.255'])(
    'accepts %s',
    (address) => expect(isPublicAddress(address)).toBe(true),
  );

  it.each(['2001:4860:4860::8888', '2606:4700::1111', '2a00:1450:4001::200e', '2001:200::1', '2400::1'])(
    'accepts %s',
    (address) => expect(isPublicAddress(address)).toBe(true),
  );

  it.each([
    '::',
    '::1',
    '::7f00:1',
    '::ffff:8.8.8.8',
    '64:ff9b::808:808',
    '100::1',
    '2001::1',
    '2001:2::1',
    '2001:10::1',
    '2001:20::1',
    '2001:db8::1',
    '2002:808:808::1',
    '3fff::1',
    '4000::1',
    '5f00::1',
    'fc00::1',
    'fd00:ec2::254',
    'fe80::1',
    'fec0::1',
    'ff02::1',
  ])('refuses %s', (address) => expect(isPublicAddress(address)).toBe(false));

  it.each([
    '',
    'example.com',
    '1.2.3',
    '8.8.8.8/32',
    '[2606:4700::1111]',
    '2606:4700::1111%eth0',
    '010.8.8.8',
  ])('refuses "%s", which is no address', (text) => expect(isPublicAddress(text)).toBe(false));
});
