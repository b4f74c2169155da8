import { silentLogger } from '@market-state/logging';
import {
  createBinanceSource,
  createHyperliquidSource,
  type ListingChange,
  type MessageBatch,
  type VenueConnection,
  type VenueSource,
} from '../src/index';
import { startBinanceVenue } from './binance-venue';
import { startLoopbackVenue } from './loopback-venue';

/** A scripted venue whose metadata the test changes. */
interface Venue {
  source(wait: Wait): VenueSource;
  /** Sets the metadata's instruments, each with an optional unusual status. */
  list(listed: Readonly<Record<string, string | undefined>>): void;
  /** In order. */
  subscribed(): readonly string[];
  refuse(name: string): void;
  close(): Promise<void>;
}
type Wait = (durationMs: number, signal: AbortSignal) => Promise<void>;
interface Subscription {
  readonly method: string;
  readonly subscription: { readonly type: string; readonly coin: string };
}

async function hyperliquid(): Promise<Venue> {
  let universe: object[] = [];
  const subscribed: string[] = [];
  const refused = new Set<string>();
  const venue = await startLoopbackVenue({
    onOpen: (socket) =>
      socket.on('message', (data: Buffer) => {
        const { method, subscription } = JSON.parse(data.toString()) as Subscription;
        if (refused.has(subscription.coin))
          return socket.send(JSON.stringify({ channel: 'error', data: `Invalid subscription ${JSON.stringify(subscription)}` }));
        if (method === 'subscribe' && subscription.type === 'trades') subscribed.push(subscription.coin);
        socket.send(JSON.stringify({ channel: 'subscriptionResponse', data: { method, subscription } }));
      }),
    answer: () => JSON.stringify([{ universe }, universe.map(() => ({}))]),
  });
  return {
    source: (wait) => createHyperliquidSource({ ...venue, logger: silentLogger(), wait }),
    list: (listed) =>
      (universe = Object.entries(listed).map(([name, status]) => ({ name, ...(status === 'delisted' && { isDelisted: true }) }))),
    subscribed: () => subscribed,
    refuse: (name) => refused.add(name),
    close: () => venue.close(),
  };
}

async function binance(market: 'coinm' | 'usdm'): Promise<Venue> {
  let symbols: object[] = [];
  const refused = new Set<string>();
  const venue = await startBinanceVenue({
    answer: (route) => (route === 'exchangeInfo' ? JSON.stringify({ symbols }) : undefined),
    acknowledge: (params, id) =>
      [...refused].some((name) => params.some((stream) => stream.startsWith(name.toLowerCase())))
        ? `{"error":{"code":2,"msg":"Invalid request"},"id":${id}}`
        : undefined,
  });
  return {
    source: (wait) =>
      createBinanceSource({
        market,
        ...venue,
        logger: silentLogger(),
        wait,
        contractValues: market === 'coinm' ? { BTCUSD_PERP: '100' } : {},
      }),
    list: (listed) =>
      (symbols = Object.entries(listed).map(([symbol, status = 'TRADING']) => ({
        symbol,
        contractType: 'PERPETUAL',
        ...(market === 'coinm' ? { contractStatus: status, contractSize: status === '10 dollars' ? 10 : 100 } : { status }),
        ...(status === '10 dollars' && { contractStatus: 'TRADING' }),
      }))),
    subscribed: () =>
      venue.requests.flatMap(({ method, params }) =>
        method === 'SUBSCRIBE'
          ? params.filter((stream) => stream.endsWith('@trade')).map((stream) => stream.split('@')[0]?.toUpperCase() ?? '')
          : [],
      ),
    refuse: (name) => refused.add(name),
    close: () => venue.close(),
  };
}

const venues: readonly (readonly [name: string, start: () => Promise<Venue>, one: string, other: string, delisted: string])[] = [
  ['hyperliquid', hyperliquid, 'BTC', 'ETH', 'delisted'],
  ['binance-coinm', () => binance('coinm'), 'BTCUSD_PERP', 'ETHUSD_PERP', 'SETTLING'],
  ['binance-usdm', () => binance('usdm'), 'BTCUSDT', 'ETHUSDT', 'SETTLING'],
];

let venue: Venue | undefined;
let connection: VenueConnection | undefined;
const stop = new AbortController();
afterEach(async () => {
  connection?.close();
  await venue?.close();
});

/** The test triggers metadata reads. */
async function connect(start: () => Promise<Venue>, listed: Readonly<Record<string, string | undefined>>, wanted: readonly string[]) {
  venue = await start();
  venue.list(listed);
  const due: (() => void)[] = [];
  const wait: Wait = (durationMs, signal) =>
    new Promise((resolve, reject) => {
      if (durationMs >= 30_000) due.push(resolve);
      signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
    });
  connection = await venue.source(wait).connect(stop.signal);
  const missing = await connection.subscribe(wanted);
  return { venue, connection, missing, readAgain: () => due.shift()?.() };
}

async function changesOf(messages: AsyncIterable<MessageBatch>, count: number): Promise<readonly ListingChange[]> {
  const changes: ListingChange[] = [];
  for await (const { listing } of messages) {
    if (listing !== undefined) changes.push(listing);
    if (changes.length >= count) return changes;
  }
  return changes;
}

describe.each(venues)('%s', (_name, start, one, other, delisted) => {
  test('an instrument that the venue does not list is named with the reason, and the others are subscribed', async () => {
    const { venue, missing } = await connect(start, { [one]: undefined }, [one, other]);
    expect([...missing]).toEqual([[other, expect.stringMatching(new RegExp(`the venue .*list.* ${other}$`))]]);
    expect(new Set(venue.subscribed())).toEqual(new Set([one]));
  });

  test('one that the venue has taken out of trading is missing too', async () => {
    const { missing } = await connect(start, { [one]: undefined, [other]: delisted }, [one, other]);
    expect([...missing.keys()]).toEqual([other]);
  });

  test('one whose subscription the venue refuses is missing in the words of the venue, and the others are subscribed', async () => {
    venue = await start();
    venue.list({ [one]: undefined, [other]: undefined });
    venue.refuse(other);
    connection = await venue.source(() => new Promise(() => undefined)).connect(stop.signal);
    const missing = await connection.subscribe([one, other]);
    expect([...missing]).toEqual([[other, expect.stringContaining('Invalid') as string]]);
    expect(venue.subscribed()).toContain(one);
  });

  test('one that leaves the metadata is announced in its place and subscribed again when the metadata has it back; no other instrument changes', async () => {
    const { venue, connection, readAgain } = await connect(start, { [one]: undefined, [other]: undefined }, [one, other]);
    const messages = connection.messages();
    venue.list({ [one]: undefined });
    readAgain();
    expect(await changesOf(messages, 1)).toEqual([{ instrument: other, missing: expect.stringContaining(other) as string }]);
    const subscribed = venue.subscribed().length;
    venue.list({ [one]: undefined, [other]: undefined });
    while (venue.subscribed().length === subscribed) {
      readAgain();
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(new Set(venue.subscribed().slice(subscribed))).toEqual(new Set([other]));
  });
});

test.each(['coinm', 'usdm'] as const)(
  'binance %s: the funding interval is read again with the metadata; of an instrument that is not listed, its newest payment',
  async (market) => {
    const names = market === 'coinm' ? ['BTCUSD_PERP', 'ETHUSD_PERP'] : ['BTCUSDT', 'ETHUSDT'];
    const [one = '', other = ''] = names;
    let hours = 8;
    const due: (() => void)[] = [];
    const scripted = await startBinanceVenue({
      answer(route, query) {
        const symbols = names.map((symbol) => ({ symbol, contractType: 'PERPETUAL' }));
        if (route === 'exchangeInfo') return JSON.stringify({ symbols });
        if (route === 'fundingInfo') return JSON.stringify([{ symbol: one, fundingIntervalHours: hours }]);
        return route === 'fundingRate' ? JSON.stringify([{ symbol: query.get('symbol'), fundingTime: 7 }]) : undefined;
      },
    });
    const wait: Wait = (durationMs) => new Promise((resolve) => durationMs >= 30_000 && due.push(resolve));
    connection = await createBinanceSource({ market, ...scripted, logger: silentLogger(), wait }).connect(stop.signal);
    await connection.subscribe(names);
    const facts: string[] = [];
    for await (const { messages } of connection.messages()) {
      facts.push(...messages.map(({ text }) => text).filter((text) => /@(fundingInfo|lastFunding)/.test(text)));
      if (facts.length >= 4) break;
      hours = 1;
      due.shift()?.();
    }
    const line = (name: string, stream: string, data: object): string =>
      JSON.stringify({ stream: `${name.toLowerCase()}@${stream}`, data });
    const ofOther = line(other, 'lastFunding', { symbol: other, fundingTime: 7 });
    expect(facts).toEqual([
      line(one, 'fundingInfo', { symbol: one, fundingIntervalHours: 8 }),
      ofOther,
      line(one, 'fundingInfo', { symbol: one, fundingIntervalHours: 1 }),
      ofOther,
    ]);
    await scripted.close();
  },
);

test('binance-coinm: a contract of another size than the instrument table says is missing: every size of it would be wrong', async () => {
  const { missing } = await connect(() => binance('coinm'), { BTCUSD_PERP: '10 dollars', ETHUSD_PERP: undefined }, [
    'BTCUSD_PERP',
    'ETHUSD_PERP',
  ]);
  expect([...missing]).toEqual([['BTCUSD_PERP', 'a contract of BTCUSD_PERP is 10 dollars at the venue and 100 in the instrument table']]);
});
