import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { silentLogger } from '@market-state/logging';
import { Client } from 'pg';
import { readFeedConfig } from '../src/config';
import { startFeed } from '../src/feed/start-feed';
import { startFeedHarness, untilPass } from './feed-harness';

test('recordings that cannot be read, or are of something else, are one error at the start that names each', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'feed-test-'));
  const [broken, foreign] = [join(folder, 'broken.gz'), join(folder, 'foreign.gz')];
  writeFileSync(broken, 'not gzip');
  writeFileSync(foreign, gzipSync('1723161256172216566 {"stream":"dogeusd_perp@trade","data":{"s":"DOGEUSD_PERP"}}\n'));
  const config = readFeedConfig({
    RPC_TOKEN_FILE: 'token',
    DATABASE_URL: 'postgresql://u:p@127.0.0.1:1/d',
    REDIS_URL: 'redis://127.0.0.1:1',
    FEED: 'recording',
    FEED_FILE: `BTCUSD-PERP=${broken};ETHUSD-PERP=${foreign}`,
  });
  const failure = startFeed(config, { logger: silentLogger() });
  await expect(failure).rejects.toThrow(broken);
  await expect(failure).rejects.toThrow('unknown symbol "ETHUSD-PERP"');
  rmSync(folder, { recursive: true });
});

test('a recording of another format replaces the bundled one: its own venue, facts and passes, published to the other processes', async () => {
  const harness = await startFeedHarness();
  const database = new Client({ connectionString: harness.stores.postgresUrl('data_plane') });
  await database.connect();
  const file = join(import.meta.dirname, '..', '..', '..', 'libs', 'domain', 'market-data', 'fixtures', 'hyperliquid-ws', 'btc.txt');
  const feed = await harness.start([{ symbol: 'BTCUSD-PERP', lines: [], files: [file], remove: () => undefined }]);
  await untilPass(feed, 'BTCUSD-PERP', 3);
  await feed.close();
  const events = await harness.events('BTCUSD-PERP');
  expect(new Set(events.map(({ venue }) => venue))).toEqual(new Set(['hyperliquid']));
  expect(events[0]).toMatchObject({ pass: 1, status: { type: 'connected', sourceKind: 'recorded', closingLagMs: 2_000 } });
  expect(events.filter((event) => event.kind === 'feed_status' && event.status.type === 'seam').length).toBeGreaterThanOrEqual(1);
  expect(events.map(({ ordinal }) => ordinal)).toEqual(events.map((_, index) => index + 1));
  const { rows } = await database.query('SELECT symbol, feed, venue, venue_instrument, contract_value, source_kind FROM served_instrument');
  expect(rows).toEqual([
    {
      symbol: 'BTCUSD-PERP',
      feed: 'recording',
      venue: 'hyperliquid',
      venue_instrument: 'BTC',
      contract_value: null,
      source_kind: 'recorded',
    },
  ]);
  await database.end();
  await harness.stop();
});

test('a recording of the simulated venue is played and marked as simulated', async () => {
  const harness = await startFeedHarness();
  const database = new Client({ connectionString: harness.stores.postgresUrl('data_plane') });
  await database.connect();
  const file = join(import.meta.dirname, '..', '..', '..', 'libs', 'domain', 'market-data', 'fixtures', 'hyperliquid-ws', 'sim.txt');
  const feed = await harness.start([{ symbol: 'SIMUSD-PERP', lines: [], files: [file], remove: () => undefined }]);
  await untilPass(feed, 'SIMUSD-PERP', 2);
  await feed.close();
  const events = await harness.events('SIMUSD-PERP');
  expect(new Set(events.map(({ venue }) => venue))).toEqual(new Set(['simulated']));
  expect(events[0]).toMatchObject({
    pass: 1,
    status: { type: 'connected', sourceKind: 'simulated', channels: ['book', 'trade', 'context', 'liquidation'] },
  });
  expect(events.filter(({ kind, pass }) => kind === 'liquidation' && pass === 1)).toHaveLength(2);
  const { rows } = await database.query('SELECT symbol, feed, venue, source_kind FROM served_instrument');
  expect(rows).toEqual([{ symbol: 'SIMUSD-PERP', feed: 'recording', venue: 'simulated', source_kind: 'simulated' }]);
  await database.end();
  await harness.stop();
});
