import { setTimeout as delay } from 'node:timers/promises';
import { streamKey } from '@market-state/event-log';
import type { System } from '@market-state/launcher';
import { comesTrue, opsUrlOf, readMetrics, shuffle, sumOf } from '@market-state/testing';
import { type ClusterScene, SYMBOL, PACKET_MS, type ShardProcess } from './scene';
import type { SteadyReads, PacketStream } from './load';
import { pauseUpTo, type Report } from '../harness';

/** What came of the kill of a process of one shard; times are of `performance.now()`. */
export interface ShardKill {
  readonly name: string;
  readonly atMs: number;
  readonly untilMs: number;
  /** A packet of its symbol came so long after the last kill, milliseconds. */
  readonly packetMs: number;
  /** Longest time between two packets of the other symbols meanwhile, milliseconds. */
  readonly othersApartMs: number;
}

/** Long enough for windows to close meanwhile, and short enough for the pauses of the supervisor that follow. */
const AWAY_MS = 5_000;
const PACKET_BACK_MS_MAX = 10_000;
/** What a packet of another symbol may be later than usual, on a busy machine, milliseconds. */
const OTHERS_LATE_MS_MAX = 1_500;

/**
 * Kills it at an instant that chance gives, once or as often as it is back within some seconds, and waits for the next packets of every
 * symbol.
 * @throws Error when none comes in 60 s
 */
export async function killShard(
  { system }: ClusterScene,
  { process: processName, symbol }: ShardProcess,
  streams: readonly PacketStream[],
  random: () => number,
): Promise<ShardKill> {
  await pauseUpTo(PACKET_MS, random);
  const awayMs = random() < 0.5 ? 0 : AWAY_MS;
  const name = awayMs === 0 ? `${processName} killed` : `${processName} killed for ${awayMs / 1_000} s`;
  const atMs = performance.now();
  await keepKilled(system.processes, processName, atMs + awayMs);
  const killedMs = performance.now();
  const arrivalOf = ({ arrivalsMs }: PacketStream): number | undefined => arrivalsMs.find((ms) => ms > killedMs);
  if (!(await comesTrue(() => streams.every((stream) => arrivalOf(stream) !== undefined), { limitMs: BACK_MS_MAX, everyMs: POLL_MS })))
    throw new Error(`${name}, and no packet came in ${BACK_MS_MAX} ms.`);
  const own = streams.find((stream) => stream.symbol === symbol);
  const packetAtMs = (own === undefined ? undefined : arrivalOf(own)) ?? 0;
  const apart = streams.filter((stream) => stream !== own).flatMap(({ arrivalsMs }) => apartIn(arrivalsMs, atMs, packetAtMs));
  return { name, atMs, untilMs: performance.now(), packetMs: packetAtMs - killedMs, othersApartMs: Math.max(0, ...apart) };
}

/** Kills a process now, and until an instant whenever it is back. */
async function keepKilled(processes: System['processes'], name: string, untilMs: number): Promise<void> {
  do {
    if (processes.process(name).pid !== undefined) processes.signal(name, 'SIGKILL');
    await delay(POLL_MS);
  } while (performance.now() < untilMs);
}

/** Times between arrivals of which one at least lies between two instants. */
function apartIn(arrivalsMs: readonly number[], fromMs: number, toMs: number): number[] {
  return arrivalsMs.flatMap((ms, index) => {
    const beforeMs = arrivalsMs[index - 1];
    return beforeMs !== undefined && ms >= fromMs && beforeMs <= toMs ? [ms - beforeMs] : [];
  });
}

export function describeShardKill({ name, packetMs, othersApartMs }: ShardKill): string {
  return `${name}: a packet of its symbol after ${Math.round(packetMs)} ms, those of the other at most ${Math.round(othersApartMs)} ms apart`;
}

export function judgeShardKills(report: Report, kills: readonly ShardKill[]): void {
  for (const { name, packetMs, othersApartMs } of kills) {
    report.checkTime(packetMs <= PACKET_BACK_MS_MAX, `${name}: a packet of its symbol came after ${Math.round(packetMs)} ms.`);
    report.checkTime(
      othersApartMs <= PACKET_MS + OTHERS_LATE_MS_MAX,
      `${name}: packets of the other symbol came ${Math.round(othersApartMs)} ms apart.`,
    );
  }
  for (const name of new Set(kills.map((kill) => kill.name))) {
    const ofName = kills.filter((kill) => kill.name === name);
    const span = (of: (kill: ShardKill) => number): string =>
      `${Math.round(Math.min(...ofName.map(of)))} to ${Math.round(Math.max(...ofName.map(of)))} ms`;
    report.figure(
      `${name}, ${ofName.length} times`,
      `packets of its symbol after ${span(({ packetMs }) => packetMs)}; those of the other at most ${span(({ othersApartMs }) => othersApartMs)} apart`,
    );
  }
}

/** What is done to the primary that has the stream of the symbol that is read. */
interface Fault {
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
