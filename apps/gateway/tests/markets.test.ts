import { type BootedGateway, bootGateway, lastWindowEndMs } from './stand-in/boot';
import { type OpenedStream, openStream, type StreamMessage } from './stand-in/event-stream';
import { packetRecord } from './stand-in/packet-record';

const MARKET = 'BTCUSD-PERP@okx';
const DATA = '/api/public/data';
const STATE = '/api/public/market-state';

let booted: BootedGateway;
beforeAll(async () => {
  booted = await bootGateway({ markets: [MARKET] });
  await booted.keyed(`${STATE}/latest`);
});
afterAll(() => booted.close());

const READS = [
  `${STATE}/latest?`,
  `${STATE}/latest?view=compact&`,
  `${STATE}/replay?`,
  `${STATE}/history?`,
  `${STATE}/events/search?`,
  `${STATE}/forced-flow/latest?`,
  `${STATE}/crowding-regime/latest?`,
  `${STATE}/microstructure/queue-fragility/latest?`,
  `${STATE}/microstructure/buyer-summary?`,
  `${STATE}/feature-quality?`,
  `${STATE}/labels/stability?`,
  `${DATA}/book/l2/latest?`,
  `${DATA}/trades/latest?`,
  `${DATA}/candles?`,
  `${DATA}/liquidations/context?`,
  `${DATA}/gaps?`,
  `${DATA}/status/freshness?`,
  `${DATA}/replay/window?start=2026-01-01T00:00:00Z&end=2026-01-01T00:01:00Z&`,
];

/** Every `symbol` of an answer outside packets and rows, with the `venue` next to it. */
function namesIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  const { symbol, venue, ...others } = value as Readonly<Record<string, unknown>>;
  const own = typeof symbol === 'string' ? [venue === undefined ? symbol : `${symbol} ${String(venue)}`] : [];
  return [...own, ...Object.entries(others).flatMap(([name, inner]) => (name === 'packet' || name === 'row' ? [] : namesIn(inner)))];
}

function packetsIn(messages: readonly StreamMessage[]): object[] {
  return messages.filter(({ event }) => event === 'packet').map(({ data }) => JSON.parse(data) as object);
}

it.each(READS)('%s answers for the venue that is named, and for the primary one without', async (read) => {
  const [named, short, primary, plain] = await Promise.all(
    ['symbol=BTCUSD-PERP&venue=okx', `symbol=${MARKET}`, 'symbol=BTCUSD-PERP&venue=binance-coinm', 'symbol=BTCUSD-PERP'].map((query) =>
      booted.keyed(`${read}${query}`),
    ),
  );
  expect([named, short, primary, plain].map((response) => response?.status)).toEqual([200, 200, 200, 200]);
  expect(named?.json()).toEqual(short?.json());
  expect(primary?.json()).toEqual(plain?.json());
  for (const name of namesIn(named?.json())) expect(name).toBe('BTCUSD-PERP okx');
  expect(JSON.stringify(plain?.json())).not.toContain('okx');
});

it('ALL has both venues', async () => {
  const { rows, packet_refs: refs } = (await booted.keyed(`${STATE}/latest?symbol=ALL`)).json() as {
    readonly rows: readonly object[];
    readonly packet_refs: readonly object[];
  };
  for (const list of [rows, refs])
    expect(list).toEqual([
      expect.not.objectContaining({ venue: expect.anything() }),
      expect.objectContaining({ symbol: 'BTCUSD-PERP', venue: 'okx' }),
      expect.objectContaining({ symbol: 'ETHUSD-PERP' }),
    ]);
});

it('a warm read of another venue makes no call', async () => {
  const { packets, marketData } = booted.gateway.upstreams;
  const before = [packets.unaryCallTotal(), marketData.unaryCallTotal('listInstruments')];
  for (const query of ['symbol=BTCUSD-PERP&venue=okx', `symbol=${MARKET}`])
    for (let read = 0; read < 5; read += 1) expect((await booted.keyed(`${STATE}/latest?${query}`)).status).toBe(200);
  expect([packets.unaryCallTotal(), marketData.unaryCallTotal('listInstruments')]).toEqual(before);
});

it('a stream of both venues resumes by one id, and names the venue in each message', async () => {
  const path = `${STATE}/stream?symbol=BTCUSD-PERP,${MARKET}`;
  const open = (lastEventId = ''): Promise<OpenedStream> =>
    openStream(booted.gateway.url + path, { 'x-market-state-api-key': booted.key, 'last-event-id': lastEventId });
  const push = (windows: number): void => {
    for (const symbol of ['BTCUSD-PERP', MARKET]) booted.labeling.push(packetRecord(symbol, lastWindowEndMs() + windows * 10_000));
  };
  const first = await open();
  push(1);
  await first.until((messages) => packetsIn(messages).length >= 2);
  const names = (messages: readonly StreamMessage[]): string[] => packetsIn(messages).map((data) => namesIn(data).join());
  expect(names(first.messages).toSorted()).toEqual(['BTCUSD-PERP', 'BTCUSD-PERP okx']);
  const id = first.messages.findLast(({ event }) => event === 'packet')?.lastEventId;
  expect(id).toMatch(/^BTC-\w+-\w+-\w+\.BTC@okx-\w+-\w+-\w+$/);
  first.cut();
  push(2);
  const again = await open(id);
  await again.until((messages) => packetsIn(messages).length >= 2);
  expect(
    packetsIn(again.messages)
      .map((data) => (data as { readonly event_id: string }).event_id)
      .toSorted(),
  ).toEqual([packetRecord(MARKET, lastWindowEndMs() + 20_000).eventId, packetRecord('BTCUSD-PERP', lastWindowEndMs() + 20_000).eventId]);
  again.cut();
});

it('a pair that is not served is refused with those that are', async () => {
  const response = await booted.keyed(`${STATE}/latest?symbol=ETHUSD-PERP&venue=okx`);
  expect(response.status).toBe(422);
  expect(response.json()).toMatchObject({
    detail: [{ loc: ['query', 'venue'], msg: expect.stringContaining('Served: BTCUSD-PERP of binance-coinm'), type: 'not_served' }],
  });
  expect((await booted.keyed(`${STATE}/latest?symbol=BTCUSD-PERP@kraken`)).status).toBe(422);
});

interface Named {
  readonly symbol: string;
  readonly venue?: string;
}

const ORDERS: readonly [string, (market: string) => object, (record: never) => unknown][] = [
  [`${DATA}/export/jobs`, (market) => ({ symbols: [market] }), ({ request }: { request: { symbols: string[] } }) => request.symbols[0]],
  [
    `${STATE}/watchlists`,
    (market) => ({ name: 'n', symbols: [market], rules: [] }),
    ({ symbols: [symbol] }: { symbols: string[] }) => symbol,
  ],
  [
    `${STATE}/alerts`,
    (market) => ({ name: 'n', symbol: market, rule: { kind: 'state_changed' } }),
    ({ symbol, venue }: Named) => (venue === undefined ? symbol : `${symbol}@${venue}`),
  ],
  [
    `${STATE}/webhooks`,
    (market) => ({ url: 'https://example.com/hook', event_kinds: ['packet.created'], symbols: [market] }),
    ({ symbols: [symbol] }: { symbols: string[] }) => symbol,
  ],
  [
    `${STATE}/saved-searches`,
    (market) => ({ name: 'n', query: { symbol: market } }),
    ({ query: { symbol, venue } }: { query: Named }) => (venue === undefined ? symbol : `${symbol}@${venue}`),
  ],
];

describe.each(ORDERS)('a body of %s', (path, body, marketOf) => {
  const send = (market: string) =>
    booted.keyed(path, { method: 'POST', body: JSON.stringify(body(market)), headers: { 'content-type': 'application/json' } });

  it('names markets as a query does', async () => {
    for (const [named, market] of [
      ['BTCUSD-PERP@binance-coinm', 'BTCUSD-PERP'],
      ['BTCUSD-PERP', 'BTCUSD-PERP'],
      [MARKET, MARKET],
    ] as const) {
      const response = await send(named);
      expect(response.status).toBeLessThan(300);
      expect(marketOf(response.json() as never)).toBe(market);
    }
  });

  it('is refused with the field of a market that is not served', async () => {
    const response = await send('BTCUSD-PERP@kraken');
    expect(response.status).toBe(422);
    const { detail } = response.json() as { readonly detail: readonly { readonly loc: readonly unknown[] }[] };
    expect(detail).toMatchObject([{ msg: expect.stringContaining('Served: BTCUSD-PERP of binance-coinm, '), type: 'not_served' }]);
    expect(detail[0]?.loc[0]).toBe('body');
  });
});

it('the query of a saved search can be sent back as it is shown', async () => {
  const path = `${STATE}/saved-searches`;
  const send = (query: object) =>
    booted.keyed(path, { method: 'POST', body: JSON.stringify({ name: 'n', query }), headers: { 'content-type': 'application/json' } });
  const { query: shown } = (await send({ symbol: MARKET, q: 'x' })).json() as { readonly query: object };
  expect(shown).toEqual({ symbol: 'BTCUSD-PERP', venue: 'okx', q: 'x' });
  expect((await send(shown)).json()).toMatchObject({ query: shown });
});
