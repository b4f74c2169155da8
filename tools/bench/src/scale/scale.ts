import { readFileSync, writeFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { createEventLog } from '@market-state/event-log';
import { startSystem, type System, takeTemporaryFolder, withClient, workspaceRoot } from '@market-state/launcher';
import { silentLogger } from '@market-state/logging';
import { decodeEventHead } from '@market-state/market-data';
import { cpuMsBelow, memoryOfTree, percentile, sumOf } from '@market-state/testing';
import { MEASURED_FILE, PAGE_FILE, rounded } from '../capacity/capacity';
import { type Measured, measuredShape, memoryByPart, type ScaleFigures } from '../capacity/measurements';
import { capacityPage } from '../capacity/page';
import { measureAtRest } from '../capacity/stored';
import { enterpriseKeys, steadyLoad } from '../reads/steady-load';
import { whenPrimed } from '../when-primed';
import { watchClosing } from './closing-tick';
import { CLOSING_LAG_MS, severalSymbols } from './several-symbols';
import { thinningOf } from './thinned-recordings';

/** One tenant's plan allows 400 streams. */
const TENANTS = 2;
const HISTORY_MINUTES = 2;
/** A system without its history after this time is measured as it is. */
const PRIMED_MS_MAX = 150_000;
const SETTLE_MS = 10_000;
const READS_PER_SECOND = 20;
/** A packet is on time if it reaches a reader this long after its closing tick. */
const ON_TIME_MS = 2_000;
const DAY_SECONDS = 86_400;

interface ScalePlan {
  /** Each is measured by a system of its own. */
  readonly symbolTotals: readonly number[];
  readonly durationMs: number;
}

/** Measures thinned symbols whose windows all close at the same time, and writes the figures to docs/capacity.md. */
export async function measureScale({ symbolTotals, durationMs }: ScalePlan, say: (line: string) => void): Promise<void> {
  for (const symbolTotal of symbolTotals) {
    const figures = await measureSymbols(symbolTotal, durationMs, say);
    say(JSON.stringify(figures));
    writeFigures(figures);
  }
  say(`wrote ${PAGE_FILE}`);
}

/** Replaces the figures for this number of symbols. */
function writeFigures(figures: ScaleFigures): void {
  const file = join(workspaceRoot(), MEASURED_FILE);
  const before: Measured = measuredShape.parse(JSON.parse(readFileSync(file, 'utf8')));
  const others = before.scale.filter(({ symbols }) => symbols !== figures.symbols);
  const scale = [...others, rounded(figures)].sort((one, other) => one.symbols - other.symbols);
  const measured = measuredShape.parse({ ...before, scale });
  writeFileSync(file, `${JSON.stringify(measured, null, 2)}\n`);
  writeFileSync(join(workspaceRoot(), PAGE_FILE), capacityPage(measured));
}

async function measureSymbols(symbolTotal: number, durationMs: number, say: (line: string) => void): Promise<ScaleFigures> {
  const { path: folder, remove } = takeTemporaryFolder();
  const { symbols, settings } = severalSymbols(symbolTotal, folder, thinningOf);
  const [startedMs, loadAverage] = [performance.now(), loadavg()[0] ?? 0];
  const system = await startSystem({
    dataDir: join(folder, 'data'),
    settings: { ...settings, FEED_HISTORY_MINUTES: String(HISTORY_MINUTES), CONNECTIONS_PER_ADDRESS: '2000' },
  });
  try {
    const isPrimed = await whenPrimed(system, PRIMED_MS_MAX).then(
      () => true,
      () => false,
    );
    say(`${symbolTotal} symbols ${isPrimed ? 'primed' : 'not primed'} in ${((performance.now() - startedMs) / 1_000).toFixed(0)} s`);
    await delay(SETTLE_MS);
    const keys = await enterpriseKeys(system, TENANTS);
    const { delaysMs, missing, result } = await watchClosing(system, symbols, keys, () => runLoad(system, symbols, keys, durationMs));
    const good = result.reads.filter(({ status }) => status === 200).map(({ ms }) => ms);
    const { redisBytesAnEntry, ...figures } = result.figures;
    return {
      day: new Date().toISOString().slice(0, 10),
      loadAverage,
      symbols: symbolTotal,
      ...figures,
      latest: { p50Ms: percentile(good, 0.5), p99Ms: percentile(good, 0.99), refused: result.reads.length - good.length },
      closing: {
        p50Ms: percentile(delaysMs, 0.5),
        p99Ms: percentile(delaysMs, 0.99),
        maxMs: percentile(delaysMs, 1),
        windows: delaysMs.length,
        onTime: delaysMs.filter((ms) => ms <= ON_TIME_MS).length / (delaysMs.length + missing),
        missing,
      },
      stored: {
        ...(await storedBytes(system, symbolTotal)),
        redis: ((redisBytesAnEntry * figures.entriesPerSecond) / symbolTotal) * 75 * 60,
      },
    };
  } finally {
    await system.stop();
    remove();
  }
}

async function runLoad(system: System, symbols: readonly string[], keys: readonly string[], durationMs: number) {
  const targets = symbols.map((symbol) => ({ path: 'latest', address: `/api/public/market-state/latest?symbol=${symbol}` }));
  const headers = keys.map((key) => ({ 'x-market-state-api-key': key }));
  const [startMs, cpuBefore] = [performance.now(), cpuMsBelow(process.pid, 0)];
  const [rest, reads] = await Promise.all([
    measureAtRest(system, symbols, durationMs),
    steadyLoad(system.url, targets, headers, { perSecond: READS_PER_SECOND, durationMs }),
  ]);
  const cpuOfAll = (cpuMsBelow(process.pid, 0) - cpuBefore) / (performance.now() - startMs);
  const cpu = Object.fromEntries(Object.entries(rest.resting).map(([part, share]) => [part, share * symbols.length]));
  const memory = memoryByPart(system);
  const figures = {
    entriesPerSecond: rest.entriesPerSecond * symbols.length,
    redisBytesAnEntry: rest.redisBytesAnEntry,
    cpu: cpu as unknown as typeof rest.resting,
    cpuOfOthers: Math.max(0, cpuOfAll - sumOf(Object.values(cpu))),
    memory,
    memoryOfOthers: Math.max(0, memoryOfTree(process.pid).totalMiB - sumOf(Object.values(memory))),
    behind: await secondsBehind(system, symbols),
  };
  return { reads, figures };
}

/** Lag of the symbol that is furthest behind. */
async function secondsBehind(system: System, symbols: readonly string[]): Promise<ScaleFigures['behind']> {
  const log = createEventLog(system.stores.redisUrl, { logger: silentLogger() });
  try {
    const recorded = await rowsOf(
      system,
      'data_plane',
      "SELECT symbol, epoch, ordinal AS value FROM consumer_position WHERE consumer = 'recorder'",
    );
    const nowMs = Date.now();
    const feed = symbols.map(async (symbol) => {
      const [last] = await log.readLast(symbol, 1);
      return last === undefined ? 0 : nowMs - decodeEventHead(last.payload).receivedTsMs;
    });
    const recorder = recorded.map(async ({ symbol, epoch, value }) => {
      const [next] = await log.read(symbol, { epoch, ordinal: Number(value) }, { count: 1 });
      return next === undefined ? 0 : nowMs - decodeEventHead(next.payload).receivedTsMs;
    });
    const windows = async (database: 'labeling' | 'webhook', statement: string): Promise<number> => {
      const rows = await rowsOf(system, database, statement);
      return Math.max(...rows.map(({ value }) => Date.now() - CLOSING_LAG_MS - 10_000 - Number(value)), 0);
    };
    return {
      feed: seconds(Math.max(...(await Promise.all(feed)))),
      recorder: seconds(Math.max(...(await Promise.all(recorder)))),
      labeling: seconds(await windows('labeling', 'SELECT symbol, max(window_end_ms) AS value FROM packet GROUP BY symbol')),
      evaluator: seconds(await windows('webhook', 'SELECT symbol, window_end_ms AS value FROM packet_cursor')),
    };
  } finally {
    await log.close();
  }
}

function seconds(ms: number): number {
  return Math.max(0, ms) / 1_000;
}

interface SymbolRow {
  readonly symbol: string;
  readonly epoch: number;
  readonly value: string;
}

function rowsOf(system: System, database: 'data_plane' | 'labeling' | 'webhook', statement: string): Promise<readonly SymbolRow[]> {
  return withClient(system.stores.ownerUrl(database), async (client) => (await client.query<SymbolRow>(statement)).rows);
}

const TABLES = `SELECT '' AS symbol, 0 AS epoch, coalesce(sum(pg_total_relation_size(oid)), 0) AS value FROM pg_class
  WHERE relkind = 'r' AND relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = current_schema())`;

/** Per symbol and day, from the tables' size after the time that their packets span. */
async function storedBytes(system: System, symbolTotal: number): Promise<{ readonly postgres: number }> {
  const [span] = await rowsOf(
    system,
    'labeling',
    "SELECT '' AS symbol, 0 AS epoch, (max(window_end_ms) - min(window_end_ms)) / 1000 AS value FROM packet",
  );
  const sizes = await Promise.all((['data_plane', 'labeling', 'webhook'] as const).map((database) => rowsOf(system, database, TABLES)));
  const bytes = sumOf(sizes.flat().map(({ value }) => Number(value)));
  return { postgres: (bytes / Number(span?.value ?? NaN) / symbolTotal) * DAY_SECONDS };
}
