import { setTimeout as delay } from 'node:timers/promises';
import { streamKey } from '@market-state/event-log';
import type { System } from '@market-state/launcher';
import { comesTrue, opsUrlOf, readMetrics, shuffle, sumOf } from '@market-state/testing';
import { type ClusterScene, SYMBOL } from './scene';
import type { SteadyReads } from './steady-reads';

/** What is done to the primary that has the stream of the symbol that is read. */
export interface Fault {
  readonly name: string;
  /** Killed, else it falls silent: its connections stay, and nothing is answered. */
  readonly isKill: boolean;
  /** Its replica is cut off before, so that the newest entries are lost with it. */
  readonly isBehind: boolean;
}

const FAULTS: readonly Fault[] = [
  { name: 'killed', isKill: true, isBehind: false },
  { name: 'killed with a replica that is behind', isKill: true, isBehind: true },
  { name: 'silent with a replica that is behind', isKill: false, isBehind: true },
];

/** What came after a fault, milliseconds after it. */
export interface Recovery {
  readonly fault: Fault;
  /** Entries in the log that came after it. */
  readonly logMs: number;
  /** A packet served that is newer than any before. */
  readonly packetMs: number;
  /** Entries that were appended again. */
  readonly repaired: number;
  /** Times of `performance.now()` between which reads may fail for it. */
  readonly atMs: number;
  readonly untilMs: number;
}

/** How long a replica is cut off before its primary goes, milliseconds. */
const BEHIND_MS = 1_500;
const BACK_MS_MAX = 60_000;
/** Entries that may have been sent before the fault and are acknowledged after it. */
const UNDER_WAY_MAX = 20;
const POLL_MS = 50;

/** So many faults, each kind as often as the others, in an order that chance gives. */
export function drawFaults(total: number, random: () => number): Fault[] {
  const rounds = Array.from({ length: Math.ceil(total / FAULTS.length) }, () => shuffle(FAULTS, random));
  return rounds.flat().slice(0, total);
}

/** What each feed says of the symbol that is read; 0 of one that does not answer. */
export async function ofFeeds(system: System, metric: string): Promise<number[]> {
  const feeds = system.processes.names.filter((name) => name.startsWith('data-plane-feed'));
  const each = feeds.map((name) =>
    readMetrics(opsUrlOf(system, name)).then(
      (metrics) => metrics.sum(metric, new RegExp(`symbol="${SYMBOL}"`)),
      () => 0,
    ),
  );
  return Promise.all(each);
}

/** The newest entry of the log of the symbol that is read, by its feeds. */
export async function newestOrdinal(system: System): Promise<number> {
  return Math.max(...(await ofFeeds(system, 'feed_last_ordinal')));
}

/** Does it, waits until the log and packets go on, and puts the cluster in order again. @throws Error when they don't in 60 s */
export async function disturb(
  { cluster, system }: Pick<ClusterScene, 'cluster' | 'system'>,
  fault: Fault,
  reads: SteadyReads,
): Promise<Recovery> {
  const repairedSoFar = async (): Promise<number> => sumOf(await ofFeeds(system, 'feed_log_repaired_entries_total'));
  const primary = await cluster.primaryOf(streamKey(SYMBOL));
  const repairedBefore = await repairedSoFar();
  const letIn = fault.isBehind ? await cluster.cutReplicas(primary) : undefined;
  if (letIn !== undefined) await delay(BEHIND_MS);
  const [ordinal, packetMs, atMs] = [await newestOrdinal(system), reads.newestPacketMs(), performance.now()];
  if (fault.isKill) await primary.kill();
  else primary.freeze();

  async function timeUntil(what: string, isBack: () => Promise<boolean> | boolean): Promise<number> {
    if (!(await comesTrue(isBack, { limitMs: BACK_MS_MAX, everyMs: POLL_MS })))
      throw new Error(`${fault.name}: ${what} in ${BACK_MS_MAX} ms.`);
    return performance.now() - atMs;
  }
  // What was under way may be acknowledged still.
  const isAppended = async (): Promise<boolean> => (await newestOrdinal(system)) > ordinal + UNDER_WAY_MAX;
  const [logBackMs, packetBackMs] = await Promise.all([
    timeUntil('no entry came', isAppended),
    timeUntil('no packet came', () => reads.newestPacketMs() > packetMs),
  ]);

  if (fault.isKill) await primary.start();
  else primary.thaw();
  await letIn?.();
  await cluster.whole();
  return {
    fault,
    logMs: logBackMs,
    packetMs: packetBackMs,
    repaired: (await repairedSoFar()) - repairedBefore,
    atMs,
    untilMs: performance.now(),
  };
}
