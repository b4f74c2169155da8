import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ConfigError } from '@market-state/config';
import { instrumentRows, instrumentTableText } from '@market-state/market-data';
import { testRpcVariables, waitUntil } from '@market-state/testing';
import { Client } from 'pg';
import { readRecorderConfig } from '../src/config';
import { startRecorder } from '../src/recorder/start-recorder';
import { type FeedHarness, startFeedHarness, untilPass } from './feed-harness';
import { shortRecording } from './short-recording';
import { type StandInVenue, startStandInVenue } from './stand-in-venue';

const symbol = 'SIMUSD-PERP';
const second = 'SIMUSD-PERP@hyperliquid';
const folder = mkdtempSync(join(tmpdir(), 'markets-'));
const tableFile = join(folder, 'instruments.json');
const simulated = instrumentRows.filter((row) => row.feed === 'simulated');
writeFileSync(
  tableFile,
  instrumentTableText([...simulated, ...simulated.map((row) => ({ ...row, feed: 'hyperliquid', venue: 'hyperliquid' }))]),
);

let harness: FeedHarness;
let venues: readonly [StandInVenue, StandInVenue];
beforeAll(async () => {
  [harness, ...venues] = await Promise.all([startFeedHarness(), startStandInVenue(), startStandInVenue()]);
});
afterAll(async () => {
  await harness.stop();
  await Promise.all(venues.map((venue) => venue.close()));
  rmSync(folder, { recursive: true });
});

const settings = (feeds: string) => ({ FEED: feeds, SYMBOLS: symbol, INSTRUMENTS_FILE: tableFile });

function start(feeds: string) {
  const [ours, theirs] = venues;
  return harness.start([], {
    ...settings(feeds),
    FEED_FILE: '',
    FEED_SPEED: '1',
    SIMULATED_VENUE_ADDRESS: ours.address,
    HYPERLIQUID_WS_URL: `ws://${theirs.address}/ws`,
    HYPERLIQUID_REST_URL: `http://${theirs.address}`,
  });
}

async function untilTrade(market: string, id: string): Promise<void> {
  await waitUntil(`trade ${id} of ${market}`, async () =>
    (await harness.events(market)).some(({ kind, venueId }) => kind === 'trade' && venueId === id),
  );
}

test('two venues of one symbol have a log and rows each; a start that would swap them is refused', async () => {
  const feed = await start('simulated,hyperliquid');
  await waitUntil('both venues', () => venues.every((venue) => venue.connections() > 0));
  venues[0].book(Date.now(), '100', '101');
  venues[1].book(Date.now(), '200', '201');
  venues[0].trade(Date.now(), 1);
  venues[1].trade(Date.now(), 2);
  await untilTrade(symbol, '1');
  await untilTrade(second, '2');
  for (const [market, venue, id] of [
    [symbol, 'simulated', '1'],
    [second, 'hyperliquid', '2'],
  ] as const) {
    const events = await harness.events(market);
    expect([...new Set(events.map((event) => `${event.symbol} ${event.venue}`))]).toEqual([`${market} ${venue}`]);
    expect(events.filter(({ kind }) => kind === 'trade').map(({ venueId }) => venueId)).toEqual([id]);
    expect(feed.snapshot(market)).toMatchObject({ symbol: market, phase: 'playing' });
  }

  const { stores } = harness;
  const recorder = await startRecorder(
    readRecorderConfig({
      ...testRpcVariables('data-plane-recorder'),
      DATABASE_URL: stores.postgresUrl('data_plane'),
      REDIS_URL: stores.redisUrl,
      LOG_LEVEL: 'silent',
      SHUTDOWN_WAIT_MS: '0',
      ...settings('simulated,hyperliquid'),
    }),
  );
  const database = new Client({ connectionString: stores.postgresUrl('data_plane') });
  await database.connect();
  try {
    const recordedTrades = async () =>
      (
        await database.query<{ symbol: string; venue_id: string }>(
          `SELECT symbol, venue_id FROM log_entry WHERE channel = 'trade' ORDER BY symbol`,
        )
      ).rows;
    await waitUntil('recorded trades', async () => (await recordedTrades()).length === 2);
    expect(await recordedTrades()).toEqual([
      { symbol, venue_id: '1' },
      { symbol: second, venue_id: '2' },
    ]);
    const { rows } = await database.query('SELECT symbol, venue FROM served_instrument ORDER BY symbol');
    expect(rows).toEqual([
      { symbol, venue: 'simulated' },
      { symbol: second, venue: 'hyperliquid' },
    ]);
  } finally {
    await database.end();
    await recorder.close();
  }

  await feed.close();
  await expect(start('hyperliquid,simulated')).rejects.toThrow(ConfigError);
  await expect(start('hyperliquid,simulated')).rejects.toThrow(
    'FEED: the primary venue of SIMUSD-PERP is simulated, whose log hyperliquid would continue: name the feed simulated before the others again',
  );
  const again = await start('simulated,hyperliquid');
  venues[1].trade(Date.now(), 3);
  await untilTrade(second, '3');
  await again.close();
});

test('a recording of the second venue has its own log, and a restart continues it', async () => {
  const recording = shortRecording('BTCUSD-PERP', 1_500);
  const table = join(folder, 'with-recording.json');
  const recorded = instrumentRows.filter((row) => row.feed === 'recording' && row.symbol === 'BTCUSD-PERP');
  writeFileSync(table, instrumentTableText([...simulated.map((row) => ({ ...row, symbol: 'BTCUSD-PERP' })), ...recorded]));
  const market = 'BTCUSD-PERP@binance-coinm';
  const startBoth = () =>
    harness.start([recording], {
      ...{ FEED: 'simulated,recording', INSTRUMENTS_FILE: table, SIMULATED_VENUE_ADDRESS: venues[0].address },
    });
  const feed = await startBoth();
  await untilPass(feed, market, 2);
  await feed.close();
  const before = await harness.entries(market);
  const again = await startBoth();
  await untilPass(again, market, 3);
  await again.close();
  const events = await harness.events(market);
  expect([...new Set(events.map((event) => `${event.symbol} ${event.venue} ${event.epoch}`))]).toEqual([`${market} binance-coinm 1`]);
  expect((await harness.entries(market)).slice(0, before.length)).toEqual(before);
  expect((await harness.events('BTCUSD-PERP')).every(({ venue }) => venue === 'simulated')).toBe(true);
  recording.remove();
});
