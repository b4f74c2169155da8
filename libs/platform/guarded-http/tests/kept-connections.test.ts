import { promises as dns } from 'node:dns';
import { once } from 'node:events';
import type { RequestListener, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { waitUntil } from '@market-state/testing';
import { createSender, parseTestTargets, type Sender, type SenderOptions } from '../src/index';
import { dialledDuring } from './count-sockets';
import { makeReceivers, type Receiver } from './receivers';

const { targets } = parseTestTargets('localhost:*=127.0.0.0/8');
const LONG = { totalMs: 60_000, dnsMs: 60_000, connectMs: 60_000 };
const ANSWER = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok';

let receivers: Awaited<ReturnType<typeof makeReceivers>>;
let open: Sender[] = [];

beforeAll(async () => {
  receivers = await makeReceivers();
});
afterAll(() => receivers.close());
afterEach(() => {
  for (const sender of open) sender.close();
  open = [];
});

function sender(options: Partial<SenderOptions> = {}): Sender {
  const made = createSender({ targets, ca: receivers.ca, limits: LONG, ...options });
  open.push(made);
  return made;
}

const post = ({ send }: Sender, { url }: Pick<Receiver, 'url'>, owner: string | undefined = 'we_one') =>
  send({ url, headers: {}, body: Buffer.from('{}'), owner });

/** A receiver that records the connection number of each request, from 1. */
async function noting(answer: RequestListener = (_request, response) => void response.end('ok')) {
  const sockets: Socket[] = [];
  const seen: number[] = [];
  const receiver = await receivers.https((request, response) => {
    if (!sockets.includes(request.socket)) sockets.push(request.socket);
    seen.push(sockets.indexOf(request.socket) + 1);
    answer(request, response);
  });
  return { ...receiver, sockets, seen };
}

/** A receiver that answers each connection's requests with these bytes, in order. */
async function writing(...answers: string[]) {
  const sockets: Socket[] = [];
  let requests = 0;
  const receiver = await receivers.tls((socket) => {
    sockets.push(socket);
    let own = 0;
    socket.on('data', (chunk: Buffer) => {
      if (!chunk.includes('POST ')) return;
      requests += 1;
      socket.write(answers[own++] ?? ANSWER);
    });
  });
  return { ...receiver, sockets, requests: () => requests };
}

test('an owner’s POSTs to one host and port go over one connection, those of others over their own', async () => {
  const [receiver, other] = [await noting(), await noting()];
  const one = sender();
  for (const owner of ['we_one', 'we_one', 'we_two', 'we_one', 'we_two']) await post(one, receiver, owner);
  await post(one, other, 'we_one');
  expect(receiver.seen).toEqual([1, 1, 2, 1, 2]);
  expect(other.seen).toEqual([1]);
});

test('connections without an owner are not reused', async () => {
  const receiver = await noting();
  const one = sender();
  for (let each = 0; each < 2; each += 1) await one.send({ url: receiver.url, headers: {}, body: new Uint8Array() });
  expect({ seen: receiver.seen, idle: one.idle() }).toEqual({ seen: [1, 2], idle: 0 });
});

test('a POST without an owner uses no connection of an owner, not even of one named "undefined"', async () => {
  const receiver = await noting();
  const one = sender();
  await post(one, receiver, 'undefined');
  await one.send({ url: receiver.url, headers: {}, body: new Uint8Array() });
  expect({ seen: receiver.seen, idle: one.idle() }).toEqual({ seen: [1, 2], idle: 1 });
});

test('POSTs at the same time go over a connection each, which are kept', async () => {
  const waiting: (() => void)[] = [];
  // Answers only once all three have arrived.
  const receiver = await noting((_request, response) => {
    waiting.push(() => response.end('ok'));
    if (waiting.length === 3) for (const answer of waiting.splice(0)) answer();
  });
  const one = sender();
  await Promise.all([post(one, receiver), post(one, receiver), post(one, receiver)]);
  expect([...receiver.seen].sort()).toEqual([1, 2, 3]);
  expect(one.idle()).toBe(3);
  await Promise.all([post(one, receiver), post(one, receiver), post(one, receiver)]);
  expect([...receiver.seen].sort()).toEqual([1, 1, 2, 2, 3, 3]);
});

test('a hundred POSTs over one connection leave nothing behind on it', async () => {
  const warnings: Error[] = [];
  const warn = (warning: Error) => void warnings.push(warning);
  process.on('warning', warn);
  const receiver = await noting((_request, response) => void response.writeHead(500).end('no'));
  const one = sender();
  for (let each = 0; each < 100; each += 1) expect(await post(one, receiver)).toMatchObject({ class: 'status_500', snippet: 'no' });
  process.off('warning', warn);
  expect({ connections: receiver.sockets.length, warnings }).toEqual({ connections: 1, warnings: [] });
});

describe('the guard before a kept connection is used again', () => {
  afterEach(() => jest.restoreAllMocks());

  /** A receiver with a public name, whose DNS answers are given. */
  async function atPublicAddress(answers: readonly (readonly string[])[]) {
    const requests: Socket[] = [];
    const local = await receivers.https(
      (request, response) => {
        requests.push(request.socket);
        response.end('ok');
      },
      { name: 'hooks.example.com' },
    );
    const { port } = new URL(local.url);
    const connect = Socket.prototype.connect as (this: Socket, options: object, done?: () => void) => Socket;
    jest.spyOn(Socket.prototype, 'connect').mockImplementation(function (this: Socket, options: object, done?: () => void) {
      Object.defineProperty(this, 'remoteAddress', { value: '93.184.216.34' });
      return connect.call(this, { ...options, host: '127.0.0.1', port: Number(port), lookup: undefined }, done);
    } as typeof Socket.prototype.connect);
    let requested = 0;
    const resolver = { resolve4: async () => answers[requested++] ?? [], resolve6: () => Promise.reject(new Error('ENODATA')) };
    return { sender: sender({ targets: [], resolver }), url: 'https://hooks.example.com/hook', requests, requested: () => requested };
  }

  test('resolves the host each time, and uses it while its address is among the answers', async () => {
    const [first, both] = [['93.184.216.34'], ['1.1.1.1', '93.184.216.34']];
    const receiver = await atPublicAddress([first, both, first]);
    for (let each = 0; each < 3; each += 1) expect(await post(receiver.sender, receiver)).toMatchObject({ class: 'ok' });
    expect({ requested: receiver.requested(), connections: new Set(receiver.requests).size }).toEqual({ requested: 3, connections: 1 });
  });

  test.each([
    ['is private now', ['127.0.0.1']],
    ['has a private address in addition to the public one now', ['93.184.216.34', '10.0.0.1']],
  ])('sends nothing and closes it where the host %s', async (_what, answer) => {
    const receiver = await atPublicAddress([['93.184.216.34'], answer]);
    await post(receiver.sender, receiver);
    const closed = once(receiver.requests[0] ?? new Socket(), 'close');
    const dialled = await dialledDuring(async () => {
      expect(await post(receiver.sender, receiver)).toMatchObject({ class: 'guard', reason: 'address_not_public' });
    });
    await closed;
    expect({ dialled, requests: receiver.requests.length, idle: receiver.sender.idle() }).toEqual({ dialled: [], requests: 1, idle: 0 });
  });

  test('closes it where the host has other addresses now, and dials one of those', async () => {
    const receiver = await noting();
    const one = sender();
    await post(one, receiver);
    const closed = once(receiver.sockets[0] ?? new Socket(), 'close');
    jest.spyOn(dns, 'lookup').mockResolvedValue([{ address: '127.0.0.2', family: 4 }] as never);
    expect(await post(one, receiver)).toMatchObject({ class: 'connect' });
    await closed;
    expect(receiver.seen).toEqual([1]);
  });
});

describe('no connection is used again', () => {
  test.each([
    ['that the receiver closes', 'HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 2\r\n\r\nok', 'ok'],
    ['of HTTP/1.0', 'HTTP/1.0 200 OK\r\ncontent-length: 2\r\n\r\nok', 'ok'],
    ['whose receiver keeps it open for a second only', 'HTTP/1.1 200 OK\r\nkeep-alive: timeout=1\r\ncontent-length: 2\r\n\r\nok', 'ok'],
    ['with bytes after the body', `${ANSWER}more`, 'ok'],
    ['with two answers to one request', ANSWER + ANSWER.replace('200', '500'), 'ok'],
    ['whose answer is over 16 KiB', `HTTP/1.1 200 OK\r\ncontent-length: 20000\r\n\r\n${'a'.repeat(20_000)}`, 'ok'],
    ['whose answer is no HTTP', 'hello, world\r\n\r\n', 'reset'],
    ['with a broken chunk', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n\r\n', 'reset'],
    ['that changes its protocol', 'HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: h2c\r\n\r\n', 'status_101'],
  ])('%s', async (_what, answer, expected) => {
    const receiver = await writing(answer);
    const one = sender();
    expect(await post(one, receiver)).toMatchObject({ class: expected });
    expect(one.idle()).toBe(0);
    expect(await post(one, receiver)).toMatchObject({ class: expected });
    expect(receiver.sockets).toHaveLength(2);
  });

  test('over which an attempt timed out', async () => {
    const receiver = await writing('HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nabc');
    const one = sender({ limits: { ...LONG, totalMs: 300 } });
    expect(await post(one, receiver)).toMatchObject({ class: 'timeout' });
    expect(one.idle()).toBe(0);
  });

  test('that breaks within its answer', async () => {
    const receiver = await noting((request, response) => {
      response.writeHead(200, { 'content-length': '10' }).write('abc', () => request.socket.destroy());
    });
    const one = sender();
    expect(await post(one, receiver)).toMatchObject({ class: 'reset' });
    expect(one.idle()).toBe(0);
  });

  test('that receives bytes while idle', async () => {
    const receiver = await writing();
    const one = sender();
    await post(one, receiver);
    receiver.sockets[0]?.write(ANSWER.replace('200', '500'));
    await waitUntil('its end', () => one.idle() === 0);
    expect(await post(one, receiver)).toMatchObject({ class: 'ok' });
    expect(receiver.sockets).toHaveLength(2);
  });
});

test('a connection closed by its receiver while idle costs no attempt: the next POST arrives once, over a new one', async () => {
  const receiver = await noting();
  const one = sender();
  await post(one, receiver);
  receiver.sockets[0]?.destroy();
  expect(await post(one, receiver)).toMatchObject({ class: 'ok' });
  expect(receiver.seen).toEqual([1, 2]);
});

test('of several closed while idle none is used', async () => {
  const held: ServerResponse[] = [];
  // The first three are answered together, so that each has its own connection.
  const receiver = await noting((_request, response) => {
    held.push(response);
    if (held.length >= 3) for (const each of held) each.end('ok');
  });
  const one = sender();
  await Promise.all([post(one, receiver), post(one, receiver), post(one, receiver)]);
  for (const socket of receiver.sockets) socket.destroy();
  expect(await post(one, receiver)).toMatchObject({ class: 'ok' });
  expect(receiver.seen.at(-1)).toBe(4);
});

test('a POST that may have arrived is not sent again: the attempt failed', async () => {
  const receiver = await noting((request, response) => {
    if (receiver.seen.length === 1) response.end('ok');
    else request.socket.destroy();
  });
  const one = sender();
  await post(one, receiver);
  expect(await post(one, receiver)).toMatchObject({ class: 'reset' });
  expect(receiver.seen).toEqual([1, 1]);
});

describe('a connection lives', () => {
  test('for 60 s and is not used after', async () => {
    const receiver = await noting();
    let nowMs = 5;
    const one = sender({ monotonicMs: () => nowMs });
    for (const atMs of [5, 60_004, 60_005]) {
      nowMs = atMs;
      await post(one, receiver);
    }
    expect(receiver.seen).toEqual([1, 1, 2]);
  });

  test('is closed when idle for that long', async () => {
    const receiver = await noting();
    const one = sender({ idle: { total: 1_000, lifeMs: 100 } });
    await post(one, receiver);
    const [socket] = receiver.sockets;
    if (socket !== undefined && !socket.destroyed) await once(socket, 'close');
    await waitUntil('its end', () => one.idle() === 0);
  });

  test('until there are too many: the longest idle one is closed', async () => {
    const receiver = await noting();
    const one = sender({ idle: { total: 2, lifeMs: 60_000 } });
    await post(one, receiver, 'we_one');
    await post(one, receiver, 'we_two');
    await post(one, receiver, 'we_one');
    const closed = once(receiver.sockets[1] ?? new Socket(), 'close');
    await post(one, receiver, 'we_three');
    await closed;
    expect(one.idle()).toBe(2);
    await post(one, receiver, 'we_one');
    await post(one, receiver, 'we_two');
    expect(receiver.seen).toEqual([1, 2, 1, 3, 1, 4]);
  });

  test('until the sender is closed', async () => {
    const receiver = await noting();
    const one = sender();
    await post(one, receiver);
    const closed = once(receiver.sockets[0] ?? new Socket(), 'close');
    one.close();
    await closed;
    expect(one.idle()).toBe(0);
  });
});
