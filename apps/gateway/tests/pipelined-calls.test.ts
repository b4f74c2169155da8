import { connect, type Socket } from 'node:net';
import { type BootedGateway, bootGateway } from './stand-in/boot';

const SYMBOL = 'BTCUSD-PERP';
const BOOK = `/api/public/data/book/l2/latest?symbol=${SYMBOL}`;
const STREAM = `/api/public/data/stream?symbol=${SYMBOL}`;
const REPLAY = `/api/public/data/stream/replay?symbol=${SYMBOL}&speed=max`;
const TRIAL = { planId: 'trial', ratePerSecond: 1_000, burst: 1_000 };

describe('calls that wait on their connection behind a live stream', () => {
  let booted: BootedGateway;
  let trial: string;
  let socket: Socket;
  beforeEach(async () => {
    booted = await bootGateway();
    trial = booted.account.issue({ tenantId: 'ten_trial', plan: TRIAL });
  });
  afterEach(async () => {
    socket.destroy();
    await booted.close();
  });

  /** Pipelines all of them on one connection. */
  function pipeline(...paths: readonly string[]): void {
    socket = connect({ port: booted.gateway.port, host: '127.0.0.1' });
    socket.on('error', () => undefined);
    socket.resume();
    socket.write(paths.map((path) => `GET ${path} HTTP/1.1\r\nHost: localhost\r\nx-market-state-api-key: ${trial}\r\n\r\n`).join(''));
  }

  const status = async (path: string): Promise<number> => (await booted.get(path, { headers: { 'x-market-state-api-key': trial } })).status;
  const openStreams = () => booted.gateway.streams.open.total();

  it('weigh nothing any more when the connection has closed', async () => {
    pipeline(STREAM, BOOK, BOOK, BOOK, BOOK, BOOK);
    await booted.until(async () => openStreams() === 1 && (await status(BOOK)) === 429);
    socket.destroy();
    await booted.until(async () => openStreams() === 0 && (await status(BOOK)) === 200);
  });

  it('end with the connection where they are streams', async () => {
    const end = Date.now();
    pipeline(STREAM, `${REPLAY}&start=${end - 60_000}&end=${end - 30_000}`);
    await booted.until(() => openStreams() === 2);
    socket.destroy();
    await booted.until(() => openStreams() === 0);
  });
});
