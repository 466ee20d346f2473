import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createFindClientAddress } from '../../src/api/sessions/client-address.ts';
import { parseAddressRange } from '../../src/shared/address-range.ts';

const find = createFindClientAddress(['10.0.0.0/8', '::1', '127.0.0.1']);

test.each([
  ['no proxy: the socket', '203.0.113.7', '', '203.0.113.7'],
  ['no trusted proxy: a forged header changes nothing', '203.0.113.7', '198.51.100.1', '203.0.113.7'],
  ['one trusted proxy', '10.0.0.1', '203.0.113.7', '203.0.113.7'],
  ['the client forged entries before it', '10.0.0.1', '1.2.3.4, 203.0.113.7', '203.0.113.7'],
  ['two trusted proxies', '10.0.0.1', '203.0.113.7, 10.9.9.9', '203.0.113.7'],
  ['a client that is a trusted address itself', '10.0.0.1', '10.2.3.4', '10.2.3.4'],
  ['no address in the header', '10.0.0.1', 'unknown', '10.0.0.1'],
  ['an IPv4-mapped socket', '::ffff:10.0.0.1', '203.0.113.7', '203.0.113.7'],
  ['IPv6', '::1', '2001:db8::7', '2001:db8::7'],
  ['a port', '10.0.0.1', '203.0.113.7:5678', '203.0.113.7'],
  ['a port of a trusted proxy', '10.0.0.1', '203.0.113.7, 10.9.9.9:80', '203.0.113.7'],
  ['IPv6 in brackets', '::1', '[2001:db8::7]', '2001:db8::7'],
  ['IPv6 with a port', '::1', '[2001:db8::7]:443', '2001:db8::7'],
])('%s', (_what, socket, header, expected) => {
  expect(find(socket, header)).toBe(expected);
});

test('without trusted proxies no header ever matters', () => {
  const plain = createFindClientAddress([]);
  fc.assert(fc.property(fc.string(), fc.ipV4(), (header, socket) => plain(socket, header) === socket));
});

test('behind one trusted proxy nothing that the client writes before the proxy matters', () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(fc.ipV4(), fc.string())), (forged) => {
      expect(find('127.0.0.1', [...forged, '203.0.113.7'].join(', '))).toBe('203.0.113.7');
    }),
  );
});

test.each([
  ['::ffff:203.0.113.7', '203.0.113.7', '203.0.113.8'],
  ['::ffff:10.0.0.0/104', '10.255.0.1', '11.0.0.1'],
  ['10.0.0.0/8', '::ffff:10.0.0.1', '2001:db8::1'],
  ['fd00::/8', 'fd12::1', 'fe80::1'],
])('the range %s has %s and not %s', (text, inside, outside) => {
  const range = parseAddressRange(text);
  expect([range?.contains(inside), range?.contains(outside)]).toEqual([true, false]);
});

test.each(['10.0.0.0/8/24', '::ffff:10.0.0.0/95', '10.0.0.0/', '10.0.0.0/33', 'fe80::%1/64'])(
  '%s is no range',
  (text) => expect(parseAddressRange(text)).toBeNull(),
);
