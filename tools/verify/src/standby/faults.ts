import { setTimeout as delay } from 'node:timers/promises';
import type { EventLog } from '@market-state/event-log';
import { comesTrue, readMetrics, shuffle } from '@market-state/testing';
import { LIVE, type StandbyScene } from './scene';

/** What is done to the feed that writes the log of the live symbol. */
export const FAULTS = ['stopped', 'killed', 'frozen'] as const;
export type Fault = (typeof FAULTS)[number];

/** What came of it. */
export interface TakeOver {
  readonly fault: Fault;
  /** The longest time for which the log stood still, milliseconds. */
  readonly stillMs: number;
  /** Logs that the other feed carried on without a gap, and behind one. */
  readonly whole: number;
  readonly gaps: number;
}

const READY_MS_MAX = 60_000;
const POLL_MS = 20;
/** Longer than a lease lasts and all that follows. */
const WATCHED_MS = 12_000;
/** A frozen feed is let go on so long after the fault: then another writes. */
const FROZEN_MS = 9_000;

/** So many faults, each kind as often as the others, in an order that chance gives. */
export function drawFaults(total: number, random: () => number): Fault[] {
  const rounds = Array.from({ length: Math.ceil(total / FAULTS.length) }, () => shuffle(FAULTS, random));
  return rounds.flat().slice(0, total);
}

/** Waits until one feed writes and the other stands by, makes the fault, and looks at the log until all is over. */
export async function disturb({ system, feeds }: StandbyScene, log: EventLog, fault: Fault): Promise<TakeOver> {
  const told = async (metric: string, labels: string): Promise<number[]> =>
    Promise.all(
      feeds.map(({ opsUrl }) =>
        readMetrics(opsUrl).then(
          (metrics) => metrics.sum(metric, new RegExp(labels)),
          () => 0,
        ),
      ),
    );
  const count = async (result: string): Promise<number[]> =>
    told('feed_takeovers_total', `result="${result}",symbol="${LIVE}"|symbol="${LIVE}",result="${result}"`);
  const isReady = async (): Promise<boolean> =>
    (await told('feed_phase', `symbol="${LIVE}",phase="standby"`)).includes(1) &&
    (await told('feed_lease_held', `symbol="${LIVE}"`)).includes(1);
  if (!(await comesTrue(isReady, { limitMs: READY_MS_MAX, everyMs: 100 })))
    throw new Error(`${fault}: no feed stands by after ${READY_MS_MAX} ms.`);
  const writer = (await told('feed_lease_held', `symbol="${LIVE}"`)).indexOf(1);
  const other = 1 - writer;
  const pid = system.processes.process(feeds[writer]?.name ?? '').pid;
  if (pid === undefined) throw new Error(`${fault}: the feed that writes does not run.`);
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

/** @returns ends the watch, and gives the longest time without a new entry */
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
