import { setTimeout as delay } from 'node:timers/promises';
import { createEventLog, type EventLog } from '@market-state/event-log';
import { silentLogger } from '@market-state/logging';
import { countsOf, openCaller, percentile, rounded, statusesOf, comesTrue, readMetrics, shuffle } from '@market-state/testing';
import { judgeMarket } from './cluster/judge-market';
import { readSteadily } from './cluster/load';
import { pauseUpTo, type Suite, Report } from './harness';
import { judgeTrades, LIVE, openStandbyScene, RECORDED, type StandbyScene } from './standby-scene';

const FAULTS = ['stopped', 'killed', 'frozen'] as const;
type Fault = (typeof FAULTS)[number];

interface TakeOver {
  readonly fault: Fault;
  readonly stillMs: number;
  /** Logs continued by the other feed without a gap, and after one. */
  readonly whole: number;
  readonly gaps: number;
}

const READY_MS_MAX = 60_000;
const POLL_MS = 20;
/** Longer than a lease and the takeover. */
const WATCHED_MS = 12_000;
/** A frozen feed resumes this long after the fault, when the other one writes. */
const FROZEN_MS = 9_000;

function drawFaults(total: number, random: () => number): Fault[] {
  const rounds = Array.from({ length: Math.ceil(total / FAULTS.length) }, () => shuffle(FAULTS, random));
  return rounds.flat().slice(0, total);
}

async function disturb({ system, feeds }: StandbyScene, log: EventLog, fault: Fault): Promise<TakeOver> {
  const reported = async (metric: string, labels: string): Promise<number[]> =>
    Promise.all(
      feeds.map(({ opsUrl }) =>
        readMetrics(opsUrl).then(
          (metrics) => metrics.sum(metric, new RegExp(labels)),
          () => 0,
        ),
      ),
    );
  const count = async (result: string): Promise<number[]> =>
    reported('feed_takeovers_total', `result="${result}",symbol="${LIVE}"|symbol="${LIVE}",result="${result}"`);
  const isReady = async (): Promise<boolean> =>
    (await reported('feed_phase', `symbol="${LIVE}",phase="standby"`)).includes(1) &&
    (await reported('feed_lease_held', `symbol="${LIVE}"`)).includes(1);
  if (!(await comesTrue(isReady, { limitMs: READY_MS_MAX, everyMs: 100 })))
    throw new Error(`${fault}: no feed is on standby after ${READY_MS_MAX} ms.`);
  const writer = (await reported('feed_lease_held', `symbol="${LIVE}"`)).indexOf(1);
  const other = 1 - writer;
  const pid = system.processes.process(feeds[writer]?.name ?? '').pid;
  if (pid === undefined) throw new Error(`${fault}: the writing feed is not running.`);
  const before = { whole: (await count('whole'))[other] ?? 0, gaps: (await count('gap'))[other] ?? 0 };

  const watch = watchStandstill(log);
  process.kill(pid, fault === 'stopped' ? 'SIGTERM' : fault === 'killed' ? 'SIGKILL' : 'SIGSTOP');
  if (fault === 'frozen') {
    await delay(FROZEN_MS);
    process.kill(pid, 'SIGCONT');
    await delay(WATCHED_MS - FROZEN_MS);
  } else await delay(WATCHED_MS);
  const stillMs = await watch();
  return {
    fault,
    stillMs,
    whole: ((await count('whole'))[other] ?? 0) - before.whole,
    gaps: ((await count('gap'))[other] ?? 0) - before.gaps,
  };
}

/** @returns a function that stops watching and returns the longest time without a new entry */
function watchStandstill(log: EventLog): () => Promise<number> {
  let [isOver, longestMs, newest, sinceMs] = [false, 0, 0, performance.now()];
  async function watch(): Promise<void> {
    for (; !isOver; await delay(POLL_MS)) {
      const ordinal = (await log.lastId(LIVE))?.ordinal ?? 0;
      const nowMs = performance.now();
      longestMs = Math.max(longestMs, nowMs - sinceMs);
      if (ordinal === newest) continue;
      [newest, sinceMs] = [ordinal, nowMs];
    }
  }
  const watching = watch();
  watching.catch(() => undefined);
  return async () => {
    isOver = true;
    await watching;
    return longestMs;
  };
}

const READS_PER_SECOND = 100;
const CONNECTIONS = 32;
const PAUSE_MS_MAX = 3_000;
/** Time after the last fault for its rows and packets to appear. */
const CALM_MS = 15_000;
/** From a kill or freeze until the log continues; a stop releases the lease immediately. */
const STILL_MS_MAX = 8_000;
const STOPPED_MS_MAX = 2_000;
const PACKET_LATE_MS_MAX = 10_000;
const LOOK_EVERY_MS = 50;

export const standbySuite: Suite = {
  id: 'standby',
  claim:
    'when a feed is stopped, killed or frozen, its standby continues: no entry of a live market or a recording is lost or ' +
    'duplicated, there is no gap, every packet can be recomputed, and none is ten seconds late',
  budget: { default: 12, counts: 'feeds stopped, killed or frozen' },
  short: { seed: 1, budget: 3 },
  async run(context) {
    const { report, closer, random, budget, say } = context;
    const scene = await openStandbyScene(context);
    const log = createEventLog(scene.system.stores.redisUrl, { logger: silentLogger() });
    closer.add('log', () => log.close());
    const latest = `${scene.system.url}/api/public/market-state/latest?symbol=${LIVE}`;
    const reads = readSteadily(openCaller(closer, CONNECTIONS), latest, scene.tenant, READS_PER_SECOND);
    const lateness = watchLateness(() => reads.newestPacketMs());
    const all: TakeOver[] = [];
    try {
      for (const fault of drawFaults(budget, random)) {
        await pauseUpTo(PAUSE_MS_MAX, random);
        const takeOver = await disturb(scene, log, fault);
        all.push(takeOver);
        say(`${all.length} of ${budget}: ${fault}, the log stalled for at most ${Math.round(takeOver.stillMs)} ms`);
      }
      await delay(CALM_MS);
    } finally {
      await reads.stop();
    }
    judgeTakeOvers(report, all);
    const failed = reads.reads.filter(({ status }) => status !== 200);
    report.check(failed.length === 0, `${failed.length} of ${reads.reads.length} reads failed: ${countsOf(statusesOf(failed))}.`);
    const late = await lateness();
    report.figure(
      "from a window's end to its packet at a reader, ms: p50, longest",
      `${rounded(percentile(late, 0.5))}, ${rounded(Math.max(...late))}`,
    );
    report.checkTime(
      Math.max(...late) <= PACKET_LATE_MS_MAX,
      `A packet arrived ${Math.round(Math.max(...late))} ms after the end of its window.`,
    );
    await judgeTrades(report, scene.system.stores, scene.traded);
    for (const symbol of [LIVE, RECORDED]) {
      const part = new Report();
      await judgeMarket(part, { system: scene.system, symbol, operator: {} });
      report.fail(...part.failures.map((failure) => `${symbol}: ${failure}`));
      for (const [name, figure] of part.figures) report.figure(`${symbol}: ${name}`, figure);
    }
  },
};

function judgeTakeOvers(report: Report, all: readonly TakeOver[]): void {
  for (const { fault, stillMs, whole, gaps } of all) {
    report.check(whole === 1 && gaps === 0, `${fault}: ${whole} logs continued without a gap, ${gaps} after one.`);
    const limitMs = fault === 'stopped' ? STOPPED_MS_MAX : STILL_MS_MAX;
    report.checkTime(stillMs <= limitMs, `${fault}: the log stalled for ${Math.round(stillMs)} ms.`);
  }
  for (const kind of FAULTS) {
    const times = all.filter(({ fault }) => fault === kind).map(({ stillMs }) => stillMs);
    if (times.length === 0) continue;
    const [least, median, most] = [Math.min(...times), percentile(times, 0.5), Math.max(...times)].map(Math.round);
    report.figure(`${kind}, ${times.length} times`, `the log stalled for at least ${least} ms, median ${median}, at most ${most}`);
  }
}

/**
 * @returns a function that stops watching and returns, for each packet, the time from its window's end to its first
 * answer
 */
function watchLateness(newestPacketMs: () => number): () => Promise<number[]> {
  const late: number[] = [];
  let [isOver, seenMs] = [false, 0];
  async function watch(): Promise<void> {
    for (; !isOver; await delay(LOOK_EVERY_MS)) {
      const packetMs = newestPacketMs();
      if (packetMs === seenMs) continue;
      if (seenMs > 0) late.push(Date.now() - packetMs);
      seenMs = packetMs;
    }
  }
  const watching = watch();
  return async () => {
    isOver = true;
    await watching;
    return late;
  };
}
