import { loadavg } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { startStores, startSystem, type System, takeTemporaryFolder, withClient } from '@market-state/launcher';
import { enterpriseKeys } from '../reads/steady-load';
import { severalSymbols } from '../scale/several-symbols';
import { QUIET } from '../scale/thinned-recordings';
import { whenPrimed } from '../when-primed';
import { growthByKeys, growthReads, type Costs, costOfReads, type Column, tableOf } from './growth-reads';
import { copyHours } from './copy-hours';

const EVENTS_MAX = 400;

async function eventIdsBefore(system: System, symbols: readonly string[], agoMs: number): Promise<readonly string[]> {
  return withClient(system.stores.ownerUrl('labeling'), async (client) => {
    const { rows } = await client.query<{ event_id: string }>(
      'SELECT event_id FROM event WHERE symbol = ANY ($1) AND window_end_ms < $2 ORDER BY window_end_ms DESC, symbol LIMIT $3',
      [symbols, Date.now() - agoMs, EVENTS_MAX],
    );
    return rows.map(({ event_id: id }) => id);
  });
}

/** One tenant's plan allows 500 requests a second. */
const TENANTS = 20;
/** Startup work must not count towards a read. */
const SETTLE_MS = 10_000;
const HALF_AN_HOUR_MS = 1_800_000;
/** Many symbols first play a short history. */
const SHORT = { historyMinutes: 20, eventsAgoMs: 300_000 };
/** A constant-rate load opens more connections when answers are late. */
const CONNECTIONS = { CONNECTIONS_PER_ADDRESS: '2000' };
const SYMBOL = 'BTCUSD-PERP';

interface GrowthPlan {
  readonly symbols: readonly number[];
  /** Hours of packets stored for one symbol; the first is what a start plays. */
  readonly hours: readonly number[];
  readonly keys: number;
}

export async function measureGrowth({ symbols, hours, keys }: GrowthPlan, say: (line: string) => void): Promise<void> {
  const { path: folder, remove } = takeTemporaryFolder();
  try {
    const bySymbols: Column[] = [];
    for (const total of symbols) bySymbols.push({ title: `${total} symbols`, figures: await withSymbols(folder, total, say) });
    say('CPU ms of all processes per request, by symbols served (recordings thinned to a quiet market), and the ratio to the first:');
    for (const line of tableOf(bySymbols)) say(line);
    await byPacketsAndKeys(folder, { hours, keys }, say);
  } finally {
    remove();
  }
}

async function withSymbols(folder: string, total: number, say: (line: string) => void): Promise<Costs> {
  const { symbols, settings } = severalSymbols(total, folder, () => QUIET);
  const startedMs = performance.now();
  const system = await startSystem({
    dataDir: join(folder, `symbols-${total}`),
    settings: { ...settings, FEED_HISTORY_MINUTES: String(SHORT.historyMinutes), ...CONNECTIONS },
  });
  try {
    await whenPrimed(system);
    await delay(SETTLE_MS);
    say(`${total} symbols primed in ${((performance.now() - startedMs) / 1_000).toFixed(0)} s; load average ${loadavg()[0]?.toFixed(1)}`);
    return await costs(system, symbols, SHORT.eventsAgoMs, say);
  } finally {
    await system.stop();
  }
}

async function byPacketsAndKeys(
  folder: string,
  { hours, keys }: Pick<GrowthPlan, 'hours' | 'keys'>,
  say: (line: string) => void,
): Promise<void> {
  const dataDir = join(folder, 'packets');
  const columns: Column[] = [];
  let kept = 'as played';
  for (const [index, total] of hours.entries()) {
    if (index > 0) kept = await fill(dataDir, total, say);
    // Packets stay in the database, and no archiver processes the copies.
    const settings = {
      FEED: 'recording',
      SYMBOLS: SYMBOL,
      FEED_HISTORY_MINUTES: '60',
      HOT_DAYS_PACKETS: '40',
      ARCHIVE_DAYS_PACKETS: '40',
      ...CONNECTIONS,
    };
    const system = await startSystem({ dataDir, settings });
    try {
      await whenPrimed(system);
      await delay(SETTLE_MS);
      say(`${total} h of packets (${kept}): ready; load average ${loadavg()[0]?.toFixed(1)}`);
      columns.push({ title: `${total} h`, figures: await costs(system, [SYMBOL], HALF_AN_HOUR_MS, say) });
      if (index < hours.length - 1) continue;
      say('CPU ms of all processes per request, by hours of stored packets of one symbol, and the ratio to the first:');
      for (const line of tableOf(columns)) say(line);
      say(`CPU ms of all processes per request with ${keys} keys of as many tenants in rotation, and the ratio to one key:`);
      const reads = growthReads([SYMBOL], []).filter(({ name }) => name === 'latest' || name === 'book');
      await growthByKeys(system, reads, keys, say);
    } finally {
      await system.stop();
    }
  }
}

async function costs(system: System, symbols: readonly string[], eventsAgoMs: number, say: (line: string) => void): Promise<Costs> {
  const keys = await enterpriseKeys(system, TENANTS);
  const reads = growthReads(symbols, await eventIdsBefore(system, symbols, eventsAgoMs));
  return costOfReads(
    system.url,
    reads,
    keys.map((key) => ({ 'x-market-state-api-key': key })),
    say,
  );
}

async function fill(dataDir: string, hours: number, say: (line: string) => void): Promise<string> {
  const startedMs = performance.now();
  const stores = await startStores({ dataDir });
  try {
    const { packets, packetMiB, eventMiB } = await copyHours(stores, SYMBOL, hours);
    say(`copied in ${((performance.now() - startedMs) / 1_000).toFixed(0)} s`);
    return `${packets} packets, ${packetMiB.toFixed(0)} MiB, and ${eventMiB.toFixed(0)} MiB of their index`;
  } finally {
    await stores.stop();
  }
}
