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
import { scenarioNames, type VenueScenario } from '@market-state/scenarios';
import { type FaultCommand, startSimulatedVenue } from '@market-state/simulated-venue';
import { sumOf, withCloser, comesTrue, testRpcVariables, openPrivateStores } from '@market-state/testing';
import { createVenueAnswers } from '@market-state/venues';
import { type Suite, type Report, openPool } from './harness';
import { AdapterRun } from './hyperliquid/adapter-run';

/** Expected difference of each measure: three ticks for a trade, one for a book. */
const LIES = [
  { measure: 'candles', fields: ['open', 'high', 'low', 'close'], apart: '0.3' },
  { measure: 'book', fields: ['bid_price', 'ask_price'], apart: '0.1' },
  { measure: 'funding_rate', fields: ['funding_rate'], apart: undefined },
] as const;

/**
 * The venue reports wrong trades for a minute, then a book off by a tick and late funding. The audit runs before,
 * during and after.
 */
async function verifyLies(scene: AuditScene, startMs: number, report: Report): Promise<void> {
  const at = (minute: number): Promise<void> => scene.advanceTo(startMs + minute * MINUTE_MS);
  await at(5);
  await scene.audit();
  report.check((await scene.differences()).length === 0, 'The audit found a difference before the venue lied.');

  await at(6);
  scene.misbehave({ fault: 'wrong_price', channel: 'trade', ticks: 3, duration_ms: MINUTE_MS });
  scene.misbehave({ fault: 'wrong_price', channel: 'book', ticks: 1, duration_ms: 200_000 });
  scene.misbehave({ fault: 'late_funding', duration_ms: 200_000 });
  await at(8.5);
  const lyingMs = scene.nowMs;
  await scene.audit();
  for (const lie of LIES) checkOpen(await scene.differences(), lie, lyingMs, report);
  report.check(
    (await scene.differences()).every(({ measure }) => measure !== 'mark_price'),
    'The audit reported a difference in the mark price, which was correct.',
  );

  await at(12.5);
  const honestMs = scene.nowMs;
  await scene.audit();
  const closed = await scene.differences();
  report.check(closed.length === LIES.length, `The audit found ${closed.length} differences for ${LIES.length} lies.`);
  for (const { measure, closedMs, runTotal } of closed)
    report.check(closedMs === honestMs && runTotal === 1, `The run after the lie did not close the difference of ${measure}.`);
  report.figure('lies found and closed', closed.length);
  report.figure('values compared', sumOf((await scene.days()).map(({ comparedTotal }) => comparedTotal)));
}

function checkOpen(differences: readonly Difference[], lie: (typeof LIES)[number], runMs: number, report: Report): void {
  const found = differences.find(({ measure }) => measure === lie.measure);
  const largest = found?.largest;
  report.check(
    found?.openedMs === runMs && found.closedMs === 0 && lie.fields.some((field) => field === largest?.field),
    `The next run did not find the lie about ${lie.measure}: ${JSON.stringify(found)}`,
  );
  if (lie.apart !== undefined)
    report.check(largest?.apart === lie.apart, `${lie.measure} is reported off by ${largest?.apart}, not ${lie.apart}.`);
}

const STEP_MS = 250;
/** The venue has a context and a book after this time. */
const CONNECT_MS = 4_000;
const APPEND_MAX = 1_000;
const KEPT_ENTRIES = 50_000;

type Difference = ReturnType<typeof differencesOf>[number];

interface AuditScene {
  readonly nowMs: number;
  advanceTo(momentMs: number): Promise<void>;
  misbehave(command: FaultCommand): void;
  audit(): Promise<void>;
  days(): Promise<readonly AuditDay[]>;
  differences(): Promise<readonly Difference[]>;
}

interface SceneSettings {
  readonly scenario: VenueScenario;
  readonly seed: number;
  readonly startMs: number;
  readonly random: () => number;
}

async function openAuditScene(closer: Closer, { scenario, seed, startMs, random }: SceneSettings): Promise<AuditScene> {
  const logger = silentLogger();
  const row = instrumentRows.find(({ feed }) => feed === 'simulated');
  if (row === undefined) throw new Error("the simulated venue's instrument is unknown");
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

/** 2026-01-05T00:00:00Z. */
const START_MS = 1_767_571_200_000;
const MINUTE_MS = 60_000;
const EVERY_MS = 10 * MINUTE_MS;
/** Scenarios that exist only in a log; a venue cannot play them. */
const OF_A_LOG = ['recording_seam', 'feed_down'];
const SILENT = 'cold_start';

export const auditSuite: Suite = {
  id: 'audit',
  claim: 'the audit finds each lie of a venue in its next run and closes it in the following one; for an honest venue no value differs',
  budget: { default: 24, counts: 'hours of an honest venue over the scenario library' },
  short: { seed: 1, budget: 0 },
  async run({ report, seed, random, budget, say }) {
    await withCloser(async (closer) => {
      const scene = await openAuditScene(closer, { scenario: 'demo', seed, startMs: START_MS, random });
      await verifyLies(scene, START_MS, report);
    });
    const names = scenarioNames.map(({ name }) => name).filter((name): name is VenueScenario => !OF_A_LOG.includes(name));
    const lengthMs = Math.ceil((budget * 60) / names.length) * MINUTE_MS;
    const totals = { hours: 0, runs: 0, compared: 0, notCompared: 0 };
    for (const scenario of budget === 0 ? [] : names) {
      await withCloser(async (closer) => {
        const scene = await openAuditScene(closer, { scenario, seed, startMs: START_MS, random });
        for (let atMs = START_MS + EVERY_MS / 2; atMs <= START_MS + lengthMs; atMs += EVERY_MS) {
          await scene.advanceTo(atMs);
          await scene.audit();
        }
        const days = await scene.days();
        const compared = sumOf(days.map(({ comparedTotal }) => comparedTotal));
        checkHonest(scenario, compared, await scene.differences(), report);
        totals.hours += lengthMs / (60 * MINUTE_MS);
        totals.runs += Math.max(...days.map(({ runTotal }) => runTotal));
        totals.compared += compared;
        totals.notCompared += sumOf(days.map(({ notComparedTotal }) => notComparedTotal));
        say(
          `${scenario}: ${compared} values compared, ${[...new Set(days.flatMap(({ reasons }) => reasons))].join(', ') || 'none skipped'}`,
        );
      });
    }
    if (budget === 0) return;
    report.figure('hours of an honest venue', Math.round(totals.hours * 10) / 10);
    report.figure('runs', totals.runs);
    report.figure('values compared, all equal', totals.compared);
    report.figure('values not compared', totals.notCompared);
  },
};

function checkHonest(scenario: string, compared: number, differences: readonly object[], report: Report): void {
  report.check(compared > 0 || scenario === SILENT, `Nothing was compared for ${scenario}.`);
  report.check(differences.length === 0, `${scenario} differs although the venue was honest: ${JSON.stringify(differences[0])}`);
}
