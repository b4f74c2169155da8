import { silentLogger } from '@market-state/logging';
import type { WebSocket } from 'ws';
import type { VenueConnection } from '../src/index';
import { bybitProtocol, krakenProtocol, okxProtocol, type StreamProtocol } from '../src/streams/protocols';
import { createStreamSource } from '../src/streams/stream-source';
import { type LoopbackVenue, startLoopbackVenue } from './loopback-venue';

interface Request {
  readonly op: string;
  readonly req_id: string;
  readonly args: readonly object[];
  readonly event: string;
  readonly feed: string;
  readonly product_ids: readonly string[];
}

interface Scripted {
  readonly protocol: StreamProtocol;
  readonly name: string;
  acknowledge(request: Request): readonly object[];
  /** Almost replies, all invalid. */
  readonly broken: readonly string[];
}

const VENUES: Readonly<Record<string, Scripted>> = {
  bybit: {
    protocol: bybitProtocol('linear'),
    name: 'BTCUSDT',
    acknowledge: ({ op, req_id }) => [{ success: true, op, req_id }],
    broken: ['{"op":"subscribe","success":', '"\\"op\\":\\"subscribe\\""'],
  },
  okx: {
    protocol: okxProtocol,
    name: 'BTC-USDT-SWAP',
    acknowledge: ({ op: event, args }) => args.map((arg) => ({ event, arg })),
    broken: ['{"event":"subscribe","arg":', '{"event":"subscribe","arg":null}'],
  },
  kraken: {
    protocol: krakenProtocol,
    name: 'PF_XBTUSD',
    acknowledge: ({ event, feed, product_ids }) => [{ event: `${event}d`, feed, product_ids }],
    broken: ['{"event":"subscribed","feed":', '{"event":"subscribed","feed":"book","product_ids":5}'],
  },
};

let venue: LoopbackVenue | undefined;
let connection: VenueConnection | undefined;
let isListed = true;
afterEach(async () => {
  connection?.close();
  await venue?.close();
});

async function connect({ protocol, name, acknowledge, broken }: Scripted) {
  const sockets: WebSocket[] = [];
  isListed = true;
  venue = await startLoopbackVenue({
    onOpen(socket) {
      sockets.push(socket);
      socket.on('message', (data: Buffer) => {
        for (const text of broken) socket.send(text);
        for (const reply of acknowledge(JSON.parse(data.toString()) as Request)) socket.send(JSON.stringify(reply));
      });
    },
  });
  const metadata = { requests: [], reasonsOf: () => () => (isListed ? undefined : 'not listed') };
  const wait = () => new Promise<void>(() => undefined);
  connection = await createStreamSource({ ...venue, protocol, metadata, logger: silentLogger(), wait }).connect(
    new AbortController().signal,
  );
  return { connection, missing: await connection.subscribe([name]), send: (text: string) => sockets[0]?.send(text) };
}

test.each(Object.keys(VENUES))('%s: replies that cannot be read are ignored', async (id) => {
  const scripted = VENUES[id];
  if (scripted === undefined) throw new Error(id);
  expect((await connect(scripted)).missing).toEqual(new Map());
});

test('an instrument that is listed again needs a new whole book: the one from before does not count', async () => {
  const scripted = VENUES['bybit'];
  if (scripted === undefined) throw new Error('no venue');
  const { connection, send } = await connect(scripted);
  const { name } = scripted;
  const whole = JSON.stringify({ topic: `orderbook.200.${name}`, type: 'snapshot', data: { s: name } });
  send(whole);
  await connection.requestSnapshot(name);
  isListed = false;
  await connection.resubscribe(name);
  isListed = true;
  await connection.resubscribe(name);
  let isSent = false;
  const answered = connection.requestSnapshot(name).then(() => isSent);
  setImmediate(() => {
    isSent = true;
    send(whole);
  });
  expect(await answered).toBe(true);
});
