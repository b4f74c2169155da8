import type { IncomingMessage } from 'node:http';
import { createAddressReader, isAddressBlock, addressBlock } from './client-address';

it.each([
  ['203.0.113.9', '203.0.113.9'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:db8:1:2::9', '2001:db8:1:2::/64'],
  ['2001:0db8:0001:0002:ffff::', '2001:db8:1:2::/64'],
  ['2001:db8::1', '2001:db8:0:0::/64'],
  ['::1', '0:0:0:0::/64'],
])('counts %s as %s', (address, block) => {
  expect(addressBlock(address)).toBe(block);
});

function read(trusted: readonly string[], remoteAddress: string, forwarded?: string): string {
  const headers = forwarded === undefined ? {} : { 'x-forwarded-for': forwarded };
  return createAddressReader(trusted, { read: () => undefined })({ headers, socket: { remoteAddress } } as unknown as IncomingMessage);
}

it.each([
  ['no proxy is trusted', [], '203.0.113.9', '198.51.100.1', '203.0.113.9'],
  ['the caller is not the proxy', ['10.0.0.1'], '203.0.113.9', '198.51.100.1', '203.0.113.9'],
  ['the proxy says nothing', ['10.0.0.1'], '10.0.0.1', undefined, '10.0.0.1'],
  ['the proxy names the caller', ['10.0.0.1'], '10.0.0.1', '198.51.100.1', '198.51.100.1'],
  ['the caller forged an entry before', ['10.0.0.1'], '10.0.0.1', '1.1.1.1, 198.51.100.1', '198.51.100.1'],
  ['there are two proxies', ['10.0.0.0/8'], '10.0.0.1', '198.51.100.1, 10.2.3.4', '198.51.100.1'],
  ['the entry is no address', ['10.0.0.1'], '10.0.0.1', 'me', '10.0.0.1'],
  ['IPv4 came as IPv6', ['10.0.0.1'], '::ffff:10.0.0.1', '2001:db8::7', '2001:db8::7'],
])('finds the caller where %s', (_case, trusted, remote, forwarded, found) => {
  expect(read(trusted, remote, forwarded)).toBe(found);
});

it('knows addresses and blocks', () => {
  expect(['10.0.0.1', '10.0.0.0/8', '::1', '2001:db8::/32'].every(isAddressBlock)).toBe(true);
  expect(['', 'proxy', '10.0.0.0/33', '10.0.0.0/', '10.0.0/8'].some(isAddressBlock)).toBe(false);
});
