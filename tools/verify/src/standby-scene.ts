import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort, type System, type Stores, withClient } from '@market-state/launcher';
import { silentLogger } from '@market-state/logging';
import { startSimulatedVenue, type TradeRow } from '@market-state/simulated-venue';
import { startSystem, openFolder, openTenants, type Tenant } from '@market-state/testing';
import type { SuiteContext, Report } from './harness';

/** Each trade of the venue must be in the rows once, from the first recorded to the last. */
export async function judgeTrades(
  report: Report,
  stores: Pick<Stores, 'postgresUrl'>,
  traded: ReadonlyMap<string, TradeRow>,
): Promise<void> {
  const ids = await withClient(stores.postgresUrl('data_plane'), async (client) => {
    const { rows } = await client.query<{ id: string | null }>(
      `SELECT venue_id AS id FROM log_entry WHERE symbol = $1 AND channel = 'trade' ORDER BY ordinal`,
      [LIVE],
    );
    return rows.map(({ id }) => id);
  });
  report.check(!ids.includes(null), 'A trade was logged twice.');
  const logged = new Set(ids.map(String));
  const times = [...logged].map((id) => traded.get(id)?.time ?? NaN);
  report.check(!times.some(Number.isNaN), 'A trade was logged that never happened on the venue.');
  const [firstMs, lastMs] = [times.reduce((a, b) => Math.min(a, b), Infinity), times.reduce((a, b) => Math.max(a, b), 0)];
  const lost = [...traded].filter(([id, { time }]) => time > firstMs && time < lastMs && !logged.has(id));
  report.check(lost.length === 0, `${lost.length} trades of the venue are missing from the rows; the first is ${lost[0]?.[0]}.`);
  report.figure('trades of the venue, each in the rows once', logged.size);
}

export const LIVE = 'SIMUSD-PERP';
export const RECORDED = 'BTCUSD-PERP';

const CREDITS = 10_000_000;
const FEED = 'data-plane-feed';

export interface StandbyScene {
  readonly system: System;
  readonly feeds: readonly { readonly name: string; readonly opsUrl: string }[];
  readonly traded: ReadonlyMap<string, TradeRow>;
  readonly tenant: Tenant;
}

/** A live market next to a recording, with every trade known. */
export interface KnownMarket {
  readonly traded: ReadonlyMap<string, TradeRow>;
  readonly settings: NodeJS.ProcessEnv;
}

export async function openKnownMarket({ closer, seed }: Pick<SuiteContext, 'closer' | 'seed'>): Promise<KnownMarket> {
  const traded = new Map<string, TradeRow>();
  const venue = await startSimulatedVenue({
    address: `127.0.0.1:${await freePort()}`,
    seed,
    logger: silentLogger(),
    scenario: 'calm',
    onStep: (_step, trades) => trades.forEach((trade) => traded.set(String(trade.tid), trade)),
  });
  closer.add('venue', () => venue.close());
  const settings = {
    FEED: 'recording,hyperliquid',
    SYMBOLS: `${RECORDED},${LIVE}`,
    INSTRUMENTS_FILE: instrumentsFile(openFolder(closer)),
    HYPERLIQUID_WS_URL: venue.wsUrl,
    HYPERLIQUID_REST_URL: venue.restUrl,
    FEED_HISTORY_MINUTES: '1',
    LOG_LEVEL: 'warn',
  };
  return { traded, settings };
}

export async function openStandbyScene({ closer, seed, say }: SuiteContext): Promise<StandbyScene> {
  const { traded, settings } = await openKnownMarket({ closer, seed });
  const system = await startSystem({ settings });
  closer.add('system', () => system.stop());
  const ports = [system.processes.portsOf(FEED), await system.processes.startAnother(FEED)];
  const feeds = ports.map(({ ops }, index) => ({ name: index === 0 ? FEED : `${FEED}-2`, opsUrl: `http://127.0.0.1:${ops}` }));
  say('the product is ready; starting a second feed');
  const tenants = openTenants(closer, `127.0.0.1:${system.processes.portsOf('account').grpc}`, system.rpc.identityOf('operator'));
  return { system, feeds, traded, tenant: await tenants.create({ name: 'readers', planId: 'enterprise', marketStateCredits: CREDITS }) };
}

/** The venue imitates Hyperliquid and is configured as such: the launcher's own venue plays a script with gaps. */
function instrumentsFile(folder: string): string {
  const file = join(folder, 'instruments.json');
  const staleness = { trade_staleness_ms: 60_000, context_staleness_ms: 120_000 };
  const rows = [
    {
      feed: 'recording',
      symbol: RECORDED,
      venue: 'binance-coinm',
      venue_instrument: 'BTCUSD_PERP',
      contract_value: '100',
      channels: ['book', 'trades'],
      book_staleness_ms: 5_000,
      ...staleness,
      closing_lag_ms: 1_000,
    },
    {
      feed: 'hyperliquid',
      symbol: LIVE,
      venue: 'hyperliquid',
      venue_instrument: 'SIM',
      channels: ['book', 'trades', 'context'],
      book_staleness_ms: 10_000,
      ...staleness,
      closing_lag_ms: 2_000,
    },
  ];
  writeFileSync(file, JSON.stringify(rows));
  return file;
}
