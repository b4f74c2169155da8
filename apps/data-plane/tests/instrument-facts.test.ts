import { silentLogger } from '@market-state/logging';
import { discoverInstruments, type InstrumentRow } from '@market-state/market-data';
import { createPool } from '@market-state/postgres';
import { type StandIn, startStandIn } from '@market-state/simulated-venue';
import { createMetrics } from '@market-state/telemetry';
import { startStores, type TestStores, waitUntil } from '@market-state/testing';
import { listingAnswers } from '@market-state/venues';
import type { Pool } from 'pg';
import { watchInstruments } from '../src/feed/live/watch-instruments';
import { createInstrumentFactStore } from '../src/store/instrument-facts';

const logger = silentLogger();
const SYMBOL = 'SIMUSD-PERP';
let stores: TestStores;
let pool: Pool;
let venue: StandIn;
beforeAll(async () => {
  stores = await startStores({ services: ['data_plane'] });
  pool = createPool({ url: stores.postgresUrl('data_plane'), logger, applicationName: 'test' });
  venue = await startStandIn({ protocol: 'okx', address: '127.0.0.1:0', seed: 1, logger });
});
afterAll(async () => {
  await venue.close();
  await pool.end();
  await stores.stop();
});

interface Fact {
  readonly tick: string | null;
  readonly reason: string | null;
  readonly from: number;
  readonly until: number | null;
}

async function factsOf(symbol: string): Promise<readonly Fact[]> {
  const { rows } = await pool.query<Fact>(
    `SELECT tick_size AS tick, not_traded AS reason, from_ms::float8 AS "from", until_ms::float8 AS until
     FROM instrument_fact WHERE symbol = $1 ORDER BY from_ms`,
    [symbol],
  );
  return rows;
}

async function rowOfVenue(): Promise<InstrumentRow> {
  const { rows } = await discoverInstruments({ feeds: ['okx'], ask: (_venue, requests) => listingAnswers(venue.restUrl, requests) });
  const row = rows.find(({ feed, symbol }) => feed === 'okx' && symbol === SYMBOL);
  if (row === undefined) throw new Error('the venue lists no SIM');
  return row;
}

test('a changed tick and a delisting begin new facts at their time; what was before keeps its span, also with two feeds', async () => {
  const row = await rowOfVenue();
  let nowMs = 1_000;
  const config = { served: [{ symbol: SYMBOL, feed: 'okx', row }], venueUrls: { okx: { wsUrl: '', restUrl: venue.restUrl } } };
  const feeds = [1, 2].map(() =>
    watchInstruments({
      config,
      store: createInstrumentFactStore(stores.postgresUrl('data_plane'), logger),
      logger,
      metrics: createMetrics('test'),
      nowMs: () => nowMs,
      readEveryMs: 50,
    }),
  );
  const untilRows = (count: number): Promise<unknown> => waitUntil(`${count} rows`, async () => (await factsOf(SYMBOL)).length === count);
  await untilRows(1);
  nowMs = 2_000;
  venue.misbehave({ fault: 'tick_size', tick_size: '0.5' });
  await untilRows(2);
  nowMs = 3_000;
  venue.misbehave({ fault: 'delisted', duration_ms: 60_000 });
  await untilRows(3);
  for (const feed of feeds) await feed.close();
  expect(await factsOf(SYMBOL)).toEqual([
    { tick: '0.1', reason: null, from: 1_000, until: 2_000 },
    { tick: '0.5', reason: null, from: 2_000, until: 3_000 },
    { tick: null, reason: 'the venue no longer lists it', from: 3_000, until: null },
  ]);
});

test('two changes within one millisecond of the clock have two times, and equal facts begin nothing', async () => {
  const store = createInstrumentFactStore(stores.postgresUrl('data_plane'), logger);
  const facts = (tickSize: string) => [
    {
      symbol: 'TWICEUSD-PERP',
      venue: 'okx',
      venueInstrument: 'TWICE-USDT-SWAP',
      listed: {
        venueInstrument: 'TWICE-USDT-SWAP',
        base: 'TWICE',
        multiplier: '1000',
        quote: 'USDT',
        unit: { contractSize: '10' },
        tickSize,
      } as const,
    },
  ];
  expect(await store.record(facts('1'), 5_000)).toEqual(['TWICEUSD-PERP']);
  expect(await store.record(facts('1'), 6_000)).toEqual([]);
  expect(await store.record(facts('2'), 5_000)).toEqual(['TWICEUSD-PERP']);
  expect((await factsOf('TWICEUSD-PERP')).map(({ from, until }) => [from, until])).toEqual([
    [5_000, 5_001],
    [5_001, null],
  ]);
  await store.close();
});
