import { EventEmitter, once } from 'node:events';
import { type IncomingMessage, type ServerResponse, createServer, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { chargeOnDelivery, deliveredAtOnce, onDelivery, createAddressReader, isAddressBlock, addressBlock } from './request-lifetime';

const LARGE = Buffer.alloc(32 * 1_048_576);
const REQUEST = 'GET / HTTP/1.1\r\nHost: localhost\r\n\r\n';

describe('what becomes of an answer', () => {
  let server: Server;
  let caller: Socket;
  let outcomes: (boolean | null | Promise<boolean>)[];

  /** Server that answers with one body per request, and a caller that reads nothing yet. */
  async function open(bodies: readonly Buffer[], ready: () => Promise<unknown> = () => Promise.resolve()): Promise<void> {
    let next = 0;
    outcomes = [];
    server = createServer((req, res) => {
      const body = bodies[next++];
      void ready().then(() => {
        res.end(body);
        const now = deliveredAtOnce(req, res);
        outcomes.push(now ?? new Promise((resolve) => onDelivery(req, res, resolve)));
      });
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    caller = connect({ port: (server.address() as AddressInfo).port, host: '127.0.0.1', allowHalfOpen: true });
    caller.on('error', () => undefined);
    caller.pause();
  }

  afterEach(() => {
    caller.destroy();
    server.closeAllConnections();
    server.close();
  });

  async function until(total: number): Promise<void> {
    while (outcomes.length < total) await new Promise((resolve) => setImmediate(resolve));
  }

  it('is known at once where the system takes every byte', async () => {
    await open([Buffer.from('small'), Buffer.alloc(0)]);
    caller.write(REQUEST);
    await until(1);
    caller.write(REQUEST);
    await until(2);
    expect(outcomes).toEqual([true, true]);
  });

  it('is known of answers that wait behind another when they are out', async () => {
    await open([LARGE, Buffer.from('second'), Buffer.from('third')]);
    caller.write(REQUEST.repeat(3));
    await until(3);
    caller.resume();
    expect(await Promise.all(outcomes)).toEqual([true, true, true]);
    expect(outcomes.every((outcome) => outcome instanceof Promise)).toBe(true);
  });

  it('is not delivered to a caller that leaves a large answer, nor are those behind it', async () => {
    await open([LARGE, Buffer.from('second')]);
    caller.write(REQUEST.repeat(2));
    await until(2);
    caller.destroy();
    expect(await Promise.all(outcomes)).toEqual([false, false]);
  });

  it('is not delivered to a caller that has closed its side before the answer is made', async () => {
    let closed: Promise<unknown> = Promise.resolve();
    await open([Buffer.from('late')], () => closed);
    closed = once(server, 'connection').then(([served]) => once(served as Socket, 'end'));
    caller.end(REQUEST);
    await until(1);
    expect(outcomes).toEqual([false]);
  });
});

/** An ended answer: `on` is its connection, null while another answer is ahead of it. */
function endedAnswer({ isFirst }: { readonly isFirst: boolean }) {
  const events = new EventEmitter();
  const socket = Object.assign(events, {
    writable: true,
    destroyed: false,
    errored: null,
    destroy: jest.fn(() => void events.emit('close')),
  });
  const res = Object.assign(new EventEmitter(), { socket: isFirst ? socket : null, writableLength: 1 });
  const done: string[] = [];
  chargeOnDelivery(
    { post: () => done.push('charged'), cancel: () => done.push('free') },
    { socket } as unknown as IncomingMessage,
    res as unknown as ServerResponse,
  );
  return { socket, res, done };
}

describe('the charge of an answer that is not out at once', () => {
  beforeEach(() => jest.useFakeTimers());
  afterEach(() => jest.useRealTimers());

  it('an answer that is taken slowly is charged after 20 s', () => {
    const { socket, done } = endedAnswer({ isFirst: true });
    jest.advanceTimersByTime(19_999);
    expect(done).toEqual([]);
    jest.advanceTimersByTime(1);
    expect([done, socket.destroy.mock.calls.length]).toEqual([['charged'], 0]);
  });

  it('an answer of which nothing could go out in 20 s is not charged, and its connection ends', () => {
    const { socket, done } = endedAnswer({ isFirst: false });
    jest.advanceTimersByTime(20_000);
    expect([done, socket.destroy.mock.calls.length]).toEqual([['free'], 1]);
  });

  it('an answer whose turn came is charged when it is out', () => {
    const { res, done } = endedAnswer({ isFirst: false });
    res.emit('finish');
    jest.advanceTimersByTime(20_000);
    expect(done).toEqual(['charged']);
  });
});

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
