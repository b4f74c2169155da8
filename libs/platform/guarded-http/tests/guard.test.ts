import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { isGloballyRoutable } from '../src/addresses';
import { type AddressResolver, checkUrl, createSender, parseTestTargets, resolveTarget } from '../src/index';
import { dialledDuring } from './count-sockets';
import { HOSTILE_ADDRESSES, PUBLIC_ADDRESSES } from './hostile-addresses';
import { HOSTILE_URLS } from './hostile-urls';
import { withProxy } from './with-proxy';

const HOSTILE = Object.entries(HOSTILE_URLS).flatMap(([reason, urls]) => urls.map((url) => ({ reason, url })));
const URL_TEXT = 'https://hooks.example.com/hook';
const EMPTY = { headers: {}, body: new Uint8Array() };
const UNUSED_RESOLVER: AddressResolver = {
  resolve4: () => Promise.reject(new Error('asked')),
  resolve6: () => Promise.reject(new Error('asked')),
};

function answering(ipv4: readonly string[] | Error, ipv6: readonly string[] | Error = new Error('ENODATA')): AddressResolver {
  const answer = async (value: readonly string[] | Error) => {
    if (value instanceof Error) throw value;
    return value;
  };
  return { resolve4: () => answer(ipv4), resolve6: () => answer(ipv6) };
}

function resolve(resolver: AddressResolver, timeoutMs = 2_000) {
  return resolveTarget(new URL(URL_TEXT), { resolver, targets: [], timeoutMs });
}

test('there are at least 120 hostile URLs, each once', () => {
  expect(HOSTILE.length).toBeGreaterThanOrEqual(120);
  expect(new Set(HOSTILE.map(({ url }) => url)).size).toBe(HOSTILE.length);
});

test.each(HOSTILE)('$reason: $url', ({ url, reason }) => {
  expect(checkUrl(url, [])).toEqual({ ok: false, reason, message: expect.stringMatching(/^[A-Z].+\.$/) });
});

test('no hostile URL is resolved or opens a socket, with or without proxies', async () => {
  let connections = 0;
  const server = createServer((socket) => {
    connections += 1;
    socket.destroy();
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const proxy = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const { send } = createSender({ targets: [], resolver: UNUSED_RESOLVER });
  const results: unknown[] = [];
  const dialled = await withProxy(proxy, () =>
    dialledDuring(async () => {
      for (const { url, reason } of HOSTILE) results.push({ expected: reason, ...(await send({ url, ...EMPTY })) });
    }),
  );
  await new Promise((closed) => server.close(closed));
  expect(dialled).toEqual([]);
  expect(connections).toBe(0);
  expect(results).toEqual(
    HOSTILE.map(({ reason }) => expect.objectContaining({ expected: reason, reason, class: 'guard', testTarget: false })),
  );
});

test.each([
  [URL_TEXT, URL_TEXT],
  ['https://hooks.example.com', 'https://hooks.example.com/'],
  ['HTTPS://Hooks.Example.COM:443/A?b=c', 'https://hooks.example.com/A?b=c'],
  ['https://hooks.example.com:8443/', 'https://hooks.example.com:8443/'],
  ['https://bücher.example/', 'https://xn--bcher-kva.example/'],
  ['https://127.0.0.1.example.com/', 'https://127.0.0.1.example.com/'],
  ['https://hooks.example.com/@x?y=z@127.0.0.1', 'https://hooks.example.com/@x?y=z@127.0.0.1'],
  ['https://notlocal/'.replace('notlocal', 'a.notlocal'), 'https://a.notlocal/'],
])('%s may be sent to', (text, href) => {
  const checked = checkUrl(text, []);
  expect(checked.ok && checked.url.href).toBe(href);
});

test.each(HOSTILE_ADDRESSES)('no host on the internet has the address %j', (address) => {
  expect(isGloballyRoutable(address)).toBe(false);
});

test.each(PUBLIC_ADDRESSES)('a host on the internet may have the address %s', (address) => {
  expect(isGloballyRoutable(address)).toBe(true);
});

describe('a host', () => {
  test.each(HOSTILE_ADDRESSES)('that has the address %j among public ones is refused whole, and no socket is opened', async (address) => {
    const results: unknown[] = [];
    const resolvers = [
      answering([address]),
      answering(['8.8.8.8', address]),
      answering(['8.8.8.8'], [address]),
      answering([address], ['2606:4700::1']),
    ];
    const dialled = await dialledDuring(async () => {
      for (const resolver of resolvers) results.push(await createSender({ targets: [], resolver }).send({ url: URL_TEXT, ...EMPTY }));
    });
    expect(dialled).toEqual([]);
    expect(results).toEqual(resolvers.map(() => expect.objectContaining({ class: 'guard', reason: 'address_not_public' })));
  });

  test('may have addresses of only one family, even if the lookup of the other fails', async () => {
    const four = [{ address: '8.8.8.8', family: 4 }];
    expect(await resolve(answering(['8.8.8.8']))).toEqual({ ok: true, addresses: four, testTarget: false });
    expect(await resolve(answering(new Error('SERVFAIL'), ['2606:4700::1']))).toMatchObject({ addresses: [{ family: 6 }] });
    expect(await resolve({ ...answering(['8.8.8.8']), resolve6: () => new Promise(() => undefined) }, 10)).toMatchObject({
      addresses: four,
    });
  });

  test.each([
    ['without addresses', answering([], [])],
    ['that does not exist', answering(new Error('ENOTFOUND'))],
    [
      'whose servers do not answer',
      { resolve4: () => new Promise<never>(() => undefined), resolve6: () => new Promise<never>(() => undefined) },
    ],
  ])('%s is a fault of the DNS', async (_name, resolver) => {
    expect(await resolve(resolver, 10)).toMatchObject({ ok: false, class: 'dns', reason: 'no_address' });
  });

  test('is resolved once per attempt, and the vetted address is dialled even if the next answer would be private', async () => {
    const script = [['93.184.216.34'], ['127.0.0.1']];
    let requested = 0;
    const resolver: AddressResolver = { ...answering([]), resolve4: async () => script[requested++] ?? [] };
    const { send } = createSender({ targets: [], resolver });
    const first = await dialledDuring(async () => expect(await send({ url: URL_TEXT, ...EMPTY })).toMatchObject({ class: 'connect' }));
    expect(requested).toBe(1);
    const [options] = first[0] as [{ lookup: (host: string, options: object, callback: (...all: unknown[]) => void) => void }];
    const addresses = await new Promise((looked) => options.lookup('x', { all: true }, (_error, found) => looked(found)));
    expect({ count: first.length, addresses }).toEqual({ count: 1, addresses: [{ address: '93.184.216.34', family: 4 }] });
    const second = await dialledDuring(async () => expect(await send({ url: URL_TEXT, ...EMPTY })).toMatchObject({ class: 'guard' }));
    expect({ second, requested }).toEqual({ second: [], requested: 2 });
  });

  test('that is a test target is not resolved outside its range', async () => {
    const { targets } = parseTestTargets('localhost:*=127.99.0.0/16');
    const dialled = await dialledDuring(async () => {
      const result = await createSender({ targets, resolver: UNUSED_RESOLVER }).send({ url: 'https://localhost:9000/', ...EMPTY });
      expect(result).toMatchObject({ class: 'guard', reason: 'address_not_public' });
    });
    expect(dialled).toEqual([]);
  });
});
