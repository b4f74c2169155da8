import {
  type AuditDay,
  auditOnce,
  differencesOf,
  liveTarget,
  readAuditDays,
  readDifferenceRuns,
  readRecorderConfig,
  startRecorder,
} from '@market-state/data-plane';
import { createEventLog } from '@market-state/event-log';
import type { Closer } from '@market-state/lifecycle';
import { silentLogger } from '@market-state/logging';
import { encodeEvent, instrumentRows, type MarketEvent } from '@market-state/market-data';
import type { VenueScenario } from '@market-state/scenarios';
import { type FaultCommand, startSimulatedVenue } from '@market-state/simulated-venue';
import { comesTrue, testRpcVariables, openPrivateStores } from '@market-state/testing';
import { createVenueAnswers } from '@market-state/venues';
import { AdapterRun } from '../hyperliquid/adapter-run';
import { openPool } from '../harness';

const STEP_MS = 250;
/** The venue has a context and a book by then. */
const CONNECT_MS = 4_000;
/** What is appended at once, and what the log keeps, in entries. */
const APPEND_MAX = 1_000;
const KEPT_ENTRIES = 50_000;

export type Difference = ReturnType<typeof differencesOf>[number];

/** A venue whose clock is turned by hand, the feed's way into the log, the recorder with its stores, and the audit of what is recorded. */
export interface AuditScene {
  readonly nowMs: number;
  /** Plays the market up to this time, and waits until all of it is recorded. */
  advanceTo(momentMs: number): Promise<void>;
  misbehave(command: FaultCommand): void;
  /** One run of the audit, now. */
  audit(): Promise<void>;
  /** All runs so far. */
  days(): Promise<readonly AuditDay[]>;
  differences(): Promise<readonly Difference[]>;
}

export interface SceneSettings {
  readonly scenario: VenueScenario;
  readonly seed: number;
  readonly startMs: number;
  readonly random: () => number;
}

export async function openAuditScene(closer: Closer, { scenario, seed, startMs, random }: SceneSettings): Promise<AuditScene> {
  const logger = silentLogger();
  const row = instrumentRows.find(({ feed }) => feed === 'simulated');
  if (row === undefined) throw new Error('no instrument of the simulated venue is known');
  const { symbol } = row;
  const stores = await openPrivateStores(closer, 'data_plane');
  const databaseUrl = stores.postgresUrl('data_plane');
  const pool = openPool(closer, databaseUrl);
  await pool.query(
    `INSERT INTO served_instrument (symbol, feed, venue, venue_instrument, source_kind)
      VALUES ($1, 'simulated', 'simulated', 'SIM', 'simulated')`,
    [symbol],
  );
  const log = createEventLog(stores.redisUrl, { logger });
  closer.add('log', () => log.close());
  const recorder = await startRecorder(
    readRecorderConfig({
      ...testRpcVariables('data-plane-recorder'),
      DATABASE_URL: databaseUrl,
      REDIS_URL: stores.redisUrl,
      FEED: 'simulated',
      LOG_LEVEL: 'silent',
      SHUTDOWN_WAIT_MS: '0',
    }),
  );
  closer.add('recorder', () => recorder.close());
  const venue = await startSimulatedVenue({ address: '127.0.0.1:0', seed, logger, startMs, scenario });
  closer.add('venue', () => venue.close());
  venue.advanceTo(startMs + CONNECT_MS);
  const adapter = new AdapterRun(venue, startMs + CONNECT_MS, random);
  closer.add('adapter', () => adapter.close());
  let nowMs = startMs + CONNECT_MS;
  let lastOrdinal = 0;
  let waiting: MarketEvent[] = await adapter.settleAt(nowMs);

  async function append(): Promise<void> {
    const entries = waiting.map((event) => ({ epoch: event.epoch, ordinal: event.ordinal, payload: encodeEvent(event) }));
    waiting = [];
    lastOrdinal = entries.at(-1)?.ordinal ?? lastOrdinal;
    if (entries.length > 0) await log.append(symbol, entries);
  }

  async function recordedOrdinal(): Promise<number> {
    const { rows } = await pool.query<{ ordinal: string }>('SELECT ordinal FROM consumer_position WHERE symbol = $1', [symbol]);
    return Number(rows[0]?.ordinal ?? 0);
  }

  async function advanceTo(momentMs: number): Promise<void> {
    while (nowMs < momentMs) {
      nowMs += STEP_MS;
      await adapter.clockAt(nowMs);
      venue.advanceTo(nowMs);
      await venue.flushed();
      waiting.push(...(await adapter.settleAt(nowMs)));
      if (waiting.length >= APPEND_MAX) await append();
    }
    await append();
    if (!(await comesTrue(async () => (await recordedOrdinal()) >= lastOrdinal, { limitMs: 60_000, everyMs: 10 })))
      throw new Error(`entry ${lastOrdinal} is not recorded`);
    if (lastOrdinal > KEPT_ENTRIES) await log.trim(symbol, { epoch: 1, ordinal: lastOrdinal - KEPT_ENTRIES });
  }

  const target = liveTarget({
    pool,
    clock: { nowMs: () => nowMs, waitUntil: advanceTo },
    row,
    answers: createVenueAnswers(row.venue, venue.restUrl),
  });
  const query = { symbols: [symbol], fromMs: 0, toMs: Number.MAX_SAFE_INTEGER, asOfMs: Number.MAX_SAFE_INTEGER };
  return {
    get nowMs() {
      return nowMs;
    },
    advanceTo,
    misbehave: (command) => void venue.misbehave(command),
    async audit() {
      const clock = { nowMs: () => nowMs, waitUntil: advanceTo };
      const metrics = { begins: () => undefined, ran: () => undefined, compared: () => undefined };
      const deps = { pool, clock, logger, metrics, isPlaying: () => true };
      await auditOnce(deps, target, new AbortController().signal);
    },
    days: () => readAuditDays(pool, query),
    differences: async () => differencesOf(await readDifferenceRuns(pool, query)),
  };
}
