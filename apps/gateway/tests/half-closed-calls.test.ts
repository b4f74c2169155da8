import { connect, type Socket } from 'node:net';
import { type BootedGateway, bootGateway } from './stand-in/boot';

const LATEST = '/api/public/market-state/latest?symbol=BTCUSD-PERP';
const TRADES = '/api/public/data/trades/latest?symbol=BTCUSD-PERP&limit=1000';
const CANDLES = '/api/public/data/candles?symbol=BTCUSD-PERP';
const STREAM = '/api/public/data/stream?symbol=BTCUSD-PERP';
const TENANT = 'ten_1';
const CALLS = 30;

describe('a caller that closes its side with its call', () => {
  let booted: BootedGateway;
  beforeAll(async () => {
    booted = await bootGateway();
  });
  afterAll(() => booted.close());

  interface Outcome {
    readonly answered: boolean;
    readonly requestId: string;
  }

  /** Sends a call, then half-closes or closes; returns everything received until the connection ended. */
  function call(path: string, id: string, leave: (socket: Socket) => void): Promise<Outcome> {
    return new Promise((resolve) => {
      const socket = connect({ port: booted.gateway.port, host: '127.0.0.1', allowHalfOpen: true });
      let text = '';
      socket.on('data', (chunk: Buffer) => (text += chunk.toString('latin1')));
      socket.on('error', () => undefined);
      socket.on('end', () => socket.destroy());
      socket.on('close', () => {
        const [head = '', body = ''] = text.split('\r\n\r\n');
        const size = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? -1);
        resolve({ answered: head.startsWith('HTTP/1.1 200') && body.length === size, requestId: id });
      });
      socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\nX-Request-Id: ${id}\r\nx-market-state-api-key: ${booted.key}\r\n\r\n`, () =>
        leave(socket),
      );
    });
  }

  /** Ids of charged calls, once everything so far is posted. */
  async function charged(): Promise<ReadonlySet<string>> {
    const last = `last-${Math.random().toString(36).slice(2)}`;
    await booted.keyed(LATEST, { headers: { 'x-request-id': last } });
    await booted.until(() => booted.account.credits.receipts(TENANT).some(({ requestId }) => requestId === last));
    return new Set(booted.account.credits.receipts(TENANT).map(({ requestId }) => requestId));
  }

  it.each([LATEST, TRADES, CANDLES])('is charged for %s if and only if it got the whole answer', async (path) => {
    const outcomes = await Promise.all(
      Array.from({ length: CALLS }, (_call, index) => call(path, `half-${path.length}-${index}`, (socket) => socket.end())),
    );
    const paid = await charged();
    expect(outcomes.filter(({ answered, requestId }) => answered !== paid.has(requestId))).toEqual([]);
  });

  it('is charged nothing for an answer that is made after it has closed its side', async () => {
    booted.dataPlane.setHanging(true);
    const calls = Array.from({ length: CALLS }, (_call, index) => call(TRADES, `late-${index}`, (socket) => socket.end()));
    expect((await Promise.all(calls)).filter(({ answered }) => answered)).toEqual([]);
    booted.dataPlane.setHanging(false);
    expect([...(await charged())].filter((id) => id.startsWith('late-'))).toEqual([]);
  });

  it('is charged for none of the answers behind a slow one that it does not get', async () => {
    booted.dataPlane.setHanging(true);
    const request = (path: string, id: string): string =>
      `GET ${path} HTTP/1.1\r\nHost: localhost\r\nX-Request-Id: ${id}\r\nx-market-state-api-key: ${booted.key}\r\n\r\n`;
    const behind = Array.from({ length: CALLS }, (_call, index) => request(LATEST, `behind-${index}`));
    let text = '';
    const socket = connect({ port: booted.gateway.port, host: '127.0.0.1' });
    socket.on('data', (chunk: Buffer) => (text += chunk.toString('latin1')));
    socket.on('error', () => undefined);
    const closed = new Promise((resolve) => socket.once('close', resolve));
    socket.write(request(TRADES, 'never') + behind.join(''), () => socket.end());
    await closed;
    booted.dataPlane.setHanging(false);
    const got = [...text.matchAll(/x-request-id: (behind-\d+)/gi)].map(([, id]) => id);
    expect([...(await charged())].filter((id) => id.startsWith('behind-') && !got.includes(id))).toEqual([]);
  });

  it('is charged nothing for a stream that sends it nothing', async () => {
    const calls = Array.from({ length: 5 }, (_call, index) => call(STREAM, `stream-${index}`, (socket) => socket.end()));
    await Promise.all(calls);
    await charged();
    expect(
      booted.account.credits
        .receipts(TENANT)
        .filter(({ requestId, priced }) => requestId.startsWith('stream-') && (priced?.observedMarketStateCredits ?? 0) > 0),
    ).toEqual([]);
  });

  it('has the credits back that were held for it', async () => {
    const before = Number((await booted.keyed(TRADES)).headers['x-credits-remaining']);
    booted.dataPlane.setHanging(true);
    await Promise.all(Array.from({ length: CALLS }, (_call, index) => call(TRADES, `held-${index}`, (socket) => socket.end())));
    booted.dataPlane.setHanging(false);
    const after = await booted.keyed(TRADES);
    expect(Number(after.headers['x-credits-remaining'])).toBe(before - Number(after.headers['x-credits-charged']));
  });
});
