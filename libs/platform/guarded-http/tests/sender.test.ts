import type { RequestListener } from 'node:http';
import { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { createConnector } from '../src/connect';
import { createSender, parseTestTargets, type SendResult } from '../src/index';
import { bodyOf, makeReceivers, type Receiver } from './receivers';
import { withProxy } from './with-proxy';

const { targets } = parseTestTargets('localhost:*=127.0.0.0/8');
const SHORT = { totalMs: 300, dnsMs: 2_000, connectMs: 200 };
const LONG = { totalMs: 60_000, dnsMs: 60_000, connectMs: 60_000 };

let receivers: Awaited<ReturnType<typeof makeReceivers>>;

beforeAll(async () => {
  receivers = await makeReceivers();
});

afterAll(() => receivers.close());

function post({ url }: Receiver, { limits = LONG, signal }: { limits?: typeof LONG; signal?: AbortSignal } = {}): Promise<SendResult> {
  const { send } = createSender({ targets, ca: receivers.ca, limits });
  return send({ url, headers: { 'content-type': 'application/json', 'webhook-id': 'msg_1' }, body: Buffer.from('{"é":1}'), signal });
}

async function answered(listener: RequestListener, options: { limits?: typeof LONG; signal?: AbortSignal } = {}): Promise<SendResult> {
  return post(await receivers.https(listener), options);
}

test('a body arrives byte for byte with its headers, and the response is returned', async () => {
  const seen: unknown[] = [];
  const result = await answered((request, response) => {
    void bodyOf(request).then((body) => {
      seen.push({ method: request.method, url: request.url, headers: request.headers, body });
      response.end('thanks');
    });
  });
  expect(result).toEqual({
    class: 'ok',
    status: 200,
    snippet: 'thanks',
    address: '127.0.0.1',
    testTarget: true,
    durationMs: expect.any(Number),
  });
  expect(seen).toEqual([
    {
      method: 'POST',
      url: '/hook?a=b',
      body: '{"é":1}',
      headers: {
        host: expect.stringMatching(/^localhost:\d+$/),
        'content-type': 'application/json',
        'webhook-id': 'msg_1',
        'content-length': '8',
        'accept-encoding': 'identity',
        connection: 'close',
      },
    },
  ]);
});

test('a second connection to a host resumes the TLS session of the first', async () => {
  const resumed: boolean[] = [];
  const receiver = await receivers.https(({ socket }, response) => {
    resumed.push((socket as TLSSocket).isSessionReused());
    response.end();
  });
  const { send } = createSender({ targets, ca: receivers.ca, limits: LONG });
  for (let sent = 0; sent < 2; sent++) await send({ url: receiver.url, headers: {}, body: Buffer.from('{}') });
  expect(resumed).toEqual([false, true]);
});

test.each([201, 204, 299, 304, 400, 410, 429, 500, 503])('status %d decides', async (status) => {
  const result = await answered((_request, response) => void response.writeHead(status).end());
  expect(result).toMatchObject({ class: status < 300 ? 'ok' : `status_${status}`, status });
});

test.each([301, 302, 303, 307, 308])('a redirect by %d is a failure and is not followed', async (status) => {
  let followed = 0;
  const target = await receivers.https((_request, response) => {
    followed += 1;
    response.end();
  });
  const result = await answered((_request, response) => void response.writeHead(status, { location: target.url }).end());
  expect({ class: result.class, followed }).toEqual({ class: `status_${status}`, followed: 0 });
});

test.each([
  ['120', 120],
  ['0', 0],
  [new Date(Date.now() - 60_000).toUTCString(), 0],
  ['soon', undefined],
  ['-1', undefined],
])('Retry-After %s is read as %s', async (header, seconds) => {
  const result = await answered((_request, response) => void response.writeHead(429, { 'retry-after': header }).end());
  expect(result.retryAfterSeconds).toBe(seconds);
});

test('Retry-After as a date is the time until then', async () => {
  const header = new Date(Date.now() + 3_600_000).toUTCString();
  const { retryAfterSeconds = 0 } = await answered((_request, response) => void response.writeHead(503, { 'retry-after': header }).end());
  expect(retryAfterSeconds).toBeGreaterThan(3_000);
  expect(retryAfterSeconds).toBeLessThanOrEqual(3_600);
});

test('of an endless response 16 KiB are read and 1 KiB is returned; its status decides', async () => {
  let closed: Promise<unknown> | undefined;
  const result = await answered((_request, response) => {
    closed = new Promise((resolve) => response.on('close', resolve));
    const write = () => {
      while (!response.destroyed && response.write('é'.repeat(1_000)));
    };
    response.on('drain', write);
    write();
  });
  await closed;
  expect(result).toMatchObject({ class: 'ok', status: 200, snippet: 'é'.repeat(512) });
});

test('a returned snippet has no control characters and no secret', async () => {
  const body = `a\0b\u001b[31m\r\n\u202e\u2028whsec_${'A'.repeat(43)}= c \xff`;
  const { snippet } = await answered((_request, response) => void response.end(body));
  expect(snippet).toBe('a b [31m    whsec_[redacted] c \xff');
});

describe('an attempt ends as', () => {
  const hang: RequestListener = () => undefined;
  const partOf: RequestListener = (_request, response) => void response.writeHead(200, { 'content-length': '10' }).write('abc');

  const switchProtocols: RequestListener = (request) =>
    void request.socket.write('HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: h2c\r\n\r\n');

  test.each<[string, string, () => Promise<SendResult>]>([
    ['timeout', 'nothing is answered', () => answered(hang, { limits: SHORT })],
    ['timeout', 'the answer does not end', () => answered(partOf, { limits: SHORT })],
    ['timeout', 'TLS does not begin', async () => post(await receivers.tcp(() => undefined), { limits: { ...LONG, connectMs: 50 } })],
    ['timeout', 'it is aborted before', () => answered(hang, { signal: AbortSignal.abort() })],
    [
      'timeout',
      'it is aborted during the attempt',
      () => {
        const controller = new AbortController();
        return answered(() => controller.abort(), { signal: controller.signal });
      },
    ],
    ['tls', 'the certificate is of an unknown authority', async () => post(await receivers.https(hang, { known: false }))],
    ['tls', 'the certificate is for another name', async () => post(await receivers.https(hang, { name: 'other.example' }))],
    ['tls', 'the server speaks no TLS', async () => post(await receivers.tcp((socket) => socket.end('HTTP/1.1 200 OK\r\n\r\n')))],
    [
      'connect',
      'the port is closed',
      async () => {
        const receiver = await (await makeReceivers()).tcp(() => undefined);
        await receiver.close();
        return post(receiver);
      },
    ],
    ['reset', 'the connection breaks instead of an answer', () => answered((request) => void request.socket.destroy())],
    [
      'reset',
      'the connection breaks before TLS',
      async () => post(await receivers.tcp((socket) => void socket.once('data', () => socket.resetAndDestroy()))),
    ],
    [
      'reset',
      'the connection breaks within the answer',
      () =>
        answered((request, response) => {
          response.writeHead(200, { 'content-length': '10' }).write('abc', () => request.socket.destroy());
        }),
    ],
    ['reset', 'the answer is no HTTP', () => answered((request) => void request.socket.write('hello, world\r\n\r\n'))],
    ['status_101', 'another protocol is taken up', () => answered(switchProtocols)],
    [
      'status_101',
      'another protocol is taken up without its name',
      () => answered((request) => void request.socket.write('HTTP/1.1 101 Switching Protocols\r\n\r\n')),
    ],
    [
      'ok',
      'hints come before the answer',
      () => answered((_request, response) => response.writeEarlyHints({ link: '</a>' }, () => response.end())),
    ],
    [
      'too_large',
      'the headers are over 16 KiB',
      () => answered((_request, response) => void response.writeHead(200, { x: 'a'.repeat(17_000) }).end()),
    ],
  ])('%s where %s', async (expected, _when, attempt) => {
    expect(await attempt()).toMatchObject({ class: expected });
  });
});

test('no request is sent if the certificate proves nothing', async () => {
  let requests = 0;
  const count: RequestListener = (_request, response) => {
    requests += 1;
    response.end();
  };
  for (const options of [{ known: false }, { name: 'other.example' }]) await post(await receivers.https(count, options));
  expect(requests).toBe(0);
});

test('no request is sent if another address is connected than was vetted', async () => {
  let requests = 0;
  const receiver = await receivers.https((_request, response) => {
    requests += 1;
    response.end();
  });
  const connect = Socket.prototype.connect as (this: Socket, options: object, done: () => void) => Socket;
  const elsewhere = function (this: Socket, options: object, done: () => void) {
    return connect.call(this, { ...options, host: '127.0.0.1', lookup: undefined }, done);
  };
  const spy = jest.spyOn(Socket.prototype, 'connect').mockImplementation(elsewhere as typeof Socket.prototype.connect);
  const dial = createConnector({ ca: receivers.ca, connectMs: LONG.connectMs }, () => 0);
  const result = await dial({
    url: new URL(receiver.url),
    addresses: [{ address: '127.0.0.2', family: 4 }],
    signal: new AbortController().signal,
  }).finally(() => spy.mockRestore());
  expect({ requests, result }).toMatchObject({
    requests: 0,
    result: { failure: 'guard', reason: 'address_not_vetted', address: '127.0.0.1' },
  });
});

test('proxies of the environment are ignored', async () => {
  let proxied = 0;
  const proxy = await receivers.tcp((socket) => {
    proxied += 1;
    socket.destroy();
  });
  const result = await withProxy(proxy.url, () => answered((_request, response) => void response.end()));
  expect({ class: result.class, proxied }).toEqual({ class: 'ok', proxied: 0 });
});
