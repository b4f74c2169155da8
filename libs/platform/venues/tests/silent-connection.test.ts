import { silentLogger } from '@market-state/logging';
import { createBinanceSource, createHyperliquidSource, createRestorer, type VenueConnection } from '../src/index';
import { startBinanceVenue } from './binance-venue';
import { startLoopbackVenue } from './loopback-venue';

const stop = new AbortController();
const never = (): Promise<void> => new Promise(() => undefined);

type Due = 'resubscribe' | 'reconnect' | undefined;

/** Restorer with scripted silence, and its actions. */
function watched(due: () => Due) {
  const done: string[] = [];
  const restorer = createRestorer({
    instrument: 'BTC',
    isNeeded: () => false,
    silence: () => {
      const now = due();
      return now && { due: now, reason: 'no book message for 10.3 s' };
    },
    onResubscribe: (reason) => done.push(`reported: ${reason}`),
    onDegraded: () => undefined,
    logger: silentLogger(),
    random: () => 0,
  });
  const connection: Pick<VenueConnection, 'resubscribe' | 'abandon'> = {
    resubscribe: async (instrument) => void done.push(`resubscribed ${instrument}`),
    abandon: (reason) => done.push(`abandoned: ${reason}`),
  };
  const ended = new AbortController();
  restorer.connected(connection as VenueConnection, ended.signal);
  return { restorer, done, ended };
}

test('a silent channel is resubscribed, then its connection is closed with the reason; a closed connection is no longer checked', () => {
  let due: Due;
  const { restorer, done, ended } = watched(() => due);
  restorer.look();
  expect(done).toEqual([]);
  due = 'resubscribe';
  restorer.look();
  expect(done).toEqual(['reported: no book message for 10.3 s', 'resubscribed BTC']);
  due = 'reconnect';
  restorer.look();
  expect(done.slice(2)).toEqual(['abandoned: BTC: no book message for 10.3 s, even after resubscribing']);
  ended.abort();
  restorer.look();
  expect(done).toHaveLength(3);
});

test('hyperliquid: all subscriptions of a coin restart, and an abandoned connection reports the reason', async () => {
  const said: string[] = [];
  const venue = await startLoopbackVenue({
    onOpen: (socket) =>
      socket.on('message', (data: Buffer) => {
        const { method, subscription } = JSON.parse(data.toString()) as { method: string; subscription: { type: string; coin: string } };
        said.push(`${method} ${subscription.coin}`);
        socket.send(JSON.stringify({ channel: 'subscriptionResponse', data: { method, subscription } }));
      }),
    answer: () => '[{"universe":[{"name":"BTC"},{"name":"ETH"}]},[{},{}]]',
  });
  const connection = await createHyperliquidSource({ ...venue, logger: silentLogger(), wait: never }).connect(stop.signal);
  await connection.subscribe(['BTC', 'ETH']);
  const before = said.length;
  await connection.resubscribe('ETH');
  while (said.length < before + 12) await new Promise((resolve) => setImmediate(resolve));
  expect(said.slice(before)).toEqual([
    ...Array.from({ length: 6 }, () => 'unsubscribe ETH'),
    ...Array.from({ length: 6 }, () => 'subscribe ETH'),
  ]);
  connection.abandon('no book message for 20.5 s');
  await expect(readAll(connection)).rejects.toMatchObject({ fault: 'connection_lost', message: 'no book message for 20.5 s' });
  await venue.close();
});

test.each(['coinm', 'usdm'] as const)('binance %s: the streams of one instrument end and begin again on every socket', async (market) => {
  const [one = '', other = ''] = market === 'coinm' ? ['BTCUSD_PERP', 'ETHUSD_PERP'] : ['BTCUSDT', 'ETHUSDT'];
  const symbols = [one, other].map((symbol) => ({ symbol, contractType: 'PERPETUAL' }));
  const venue = await startBinanceVenue({ answer: (route) => (route === 'exchangeInfo' ? JSON.stringify({ symbols }) : undefined) });
  const connection = await createBinanceSource({ market, ...venue, logger: silentLogger(), wait: never }).connect(stop.signal);
  await connection.subscribe([one, other]);
  const sockets = market === 'coinm' ? 1 : 2;
  await connection.resubscribe(other);
  while (venue.requests.length < 3 * sockets) await new Promise((resolve) => setImmediate(resolve));
  const again = venue.requests.slice(sockets);
  expect(again.map(({ method }) => method).sort()).toEqual([
    ...Array.from({ length: sockets }, () => 'SUBSCRIBE'),
    ...Array.from({ length: sockets }, () => 'UNSUBSCRIBE'),
  ]);
  for (const { params } of again) for (const stream of params) expect(stream).toMatch(new RegExp(`^${other.toLowerCase()}@`));
  for (const path of new Set(again.map((request) => request.path)))
    expect(again.filter((request) => request.path === path).map(({ method }) => method)).toEqual(['UNSUBSCRIBE', 'SUBSCRIBE']);
  connection.abandon('silent');
  await expect(readAll(connection)).rejects.toMatchObject({ fault: 'connection_lost', message: 'silent' });
  connection.close();
  await venue.close();
});

async function readAll(connection: VenueConnection): Promise<void> {
  for await (const batch of connection.messages()) void batch;
}
