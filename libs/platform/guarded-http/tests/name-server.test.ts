import { createServer, type AddressInfo } from 'node:net';
import { createSender } from '../src/index';
import { dialledDuring } from './count-sockets';
import { type DnsRecord, type NameServer, startNameServer } from './name-server';
import { withProxy } from './with-proxy';

const HOST = 'hooks.example.com';
const REQUEST = { url: `https://${HOST}:8443/hook`, headers: {}, body: new Uint8Array() };
const PUBLIC: DnsRecord = [HOST, 'A', '93.184.216.34'];

let server: NameServer;
afterEach(() => server?.close());

const chain = (type: 'A' | 'AAAA', address: string): DnsRecord[] => [
  [HOST, 'CNAME', 'edge.example.net'],
  ['edge.example.net', 'CNAME', 'inside.example.org'],
  ['inside.example.org', type, address],
];

test.each<[string, readonly DnsRecord[], readonly DnsRecord[]]>([
  ['a chain of aliases that ends at a private address', chain('A', '10.0.0.7'), []],
  ['one that ends at this machine', chain('A', '127.0.0.1'), []],
  ['one that ends at the metadata of a cloud', chain('A', '169.254.169.254'), []],
  ['one that ends at a private IPv6 address', [PUBLIC], chain('AAAA', 'fd00:0:0:0:0:0:0:1')],
  ['one that ends at an IPv4 address in IPv6', [PUBLIC], chain('AAAA', '0:0:0:0:0:ffff:7f00:1')],
  ['a public and a private address', [PUBLIC, [HOST, 'A', '192.168.0.1']], []],
  ['a public A and a private AAAA', [PUBLIC], [[HOST, 'AAAA', 'fe80:0:0:0:0:0:0:1']]],
  ['a private A and a public AAAA', [[HOST, 'A', '10.1.2.3']], [[HOST, 'AAAA', '2606:4700:0:0:0:0:0:1']]],
])('%s is refused, with proxies set or not, and no socket is opened', async (_what, four, six) => {
  let connections = 0;
  const proxy = createServer((socket) => {
    connections += 1;
    socket.destroy();
  });
  await new Promise<void>((listening) => proxy.listen(0, '127.0.0.1', listening));
  const url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  server = await startNameServer((type) => (type === 'A' ? four : six));
  const { send } = createSender({ targets: [], resolver: server.resolver });
  const dialled = await withProxy(url, async () => {
    const seen = await dialledDuring(async () => {
      expect(await send(REQUEST)).toMatchObject({ class: 'guard', reason: 'address_not_public' });
    });
    // The proxy is not reached with real sockets either.
    expect(await send(REQUEST)).toMatchObject({ class: 'guard', reason: 'address_not_public' });
    return seen;
  });
  await new Promise((closed) => proxy.close(closed));
  expect({ dialled, connections }).toEqual({ dialled: [], connections: 0 });
  expect([...server.requested].sort()).toEqual(['A', 'A', 'AAAA', 'AAAA']);
});

test('an answer that is private from the second time on: only the first is dialled, and every later attempt is refused', async () => {
  let times = 0;
  server = await startNameServer((type) => {
    if (type === 'AAAA') return [];
    times += 1;
    return times === 1 ? [PUBLIC] : [[HOST, 'A', '127.0.0.1']];
  });
  const { send } = createSender({ targets: [], resolver: server.resolver });
  const first = await dialledDuring(async () => expect(await send(REQUEST)).toMatchObject({ class: 'connect' }));
  expect({ dialled: first.length, times }).toEqual({ dialled: 1, times: 1 });
  const later = await dialledDuring(async () => {
    for (let each = 0; each < 5; each += 1) expect(await send(REQUEST)).toMatchObject({ class: 'guard' });
  });
  expect({ later, times }).toEqual({ later: [], times: 6 });
});
