import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { streamKey } from '@market-state/event-log';
import type { System } from '@market-state/launcher';
import { comesTrue, opsUrlOf, readMetrics, shuffle, sumOf } from '@market-state/testing';
import { type ClusterScene, SYMBOL, PACKET_MS, type ShardProcess } from './scene';
import type { SteadyReads, PacketStream } from './load';
import { pauseUpTo, type Report } from '../harness';

/** Result of killing a shard's process; times are of `performance.now()`. */
export interface ShardKill {
  readonly name: string;
  readonly atMs: number;
  readonly untilMs: number;
  /** Time from the last kill until its symbol's next packet. */
  readonly packetMs: number;
  readonly othersApartMs: number;
}

/** Long enough for windows to close, short enough for the supervisor's backoff that follows. */
const AWAY_MS = 5_000;
const PACKET_BACK_MS_MAX = 10_000;
const OTHERS_LATE_MS_MAX = 1_500;

/**
 * Kills it at a random instant, once or repeatedly for some seconds, and waits for every symbol's next packet.
 * @throws Error if none arrives in 60 s
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
    throw new Error(`${name}, and no packet arrived in ${BACK_MS_MAX} ms.`);
  const own = streams.find((stream) => stream.symbol === symbol);
  const packetAtMs = (own === undefined ? undefined : arrivalOf(own)) ?? 0;
  const apart = streams.filter((stream) => stream !== own).flatMap(({ arrivalsMs }) => apartIn(arrivalsMs, atMs, packetAtMs));
  return { name, atMs, untilMs: performance.now(), packetMs: packetAtMs - killedMs, othersApartMs: Math.max(0, ...apart) };
}

async function keepKilled(processes: System['processes'], name: string, untilMs: number): Promise<void> {
  do {
    if (processes.process(name).pid !== undefined) processes.signal(name, 'SIGKILL');
    await delay(POLL_MS);
  } while (performance.now() < untilMs);
}

function apartIn(arrivalsMs: readonly number[], fromMs: number, toMs: number): number[] {
  return arrivalsMs.flatMap((ms, index) => {
    const beforeMs = arrivalsMs[index - 1];
    return beforeMs !== undefined && ms >= fromMs && beforeMs <= toMs ? [ms - beforeMs] : [];
  });
}

export function describeShardKill({ name, packetMs, othersApartMs }: ShardKill): string {
  return `${name}: its symbol's next packet after ${Math.round(packetMs)} ms, the other symbol's packets at most ${Math.round(othersApartMs)} ms apart`;
}

export function judgeShardKills(report: Report, kills: readonly ShardKill[]): void {
  for (const { name, packetMs, othersApartMs } of kills) {
    report.checkTime(packetMs <= PACKET_BACK_MS_MAX, `${name}: its symbol's next packet arrived after ${Math.round(packetMs)} ms.`);
    report.checkTime(
      othersApartMs <= PACKET_MS + OTHERS_LATE_MS_MAX,
      `${name}: packets of the other symbol arrived ${Math.round(othersApartMs)} ms apart.`,
    );
  }
  for (const name of new Set(kills.map((kill) => kill.name))) {
    const ofName = kills.filter((kill) => kill.name === name);
    const span = (of: (kill: ShardKill) => number): string =>
      `${Math.round(Math.min(...ofName.map(of)))} to ${Math.round(Math.max(...ofName.map(of)))} ms`;
    report.figure(
      `${name}, ${ofName.length} times`,
      `next packet of its symbol after ${span(({ packetMs }) => packetMs)}; the other symbol's at most ${span(({ othersApartMs }) => othersApartMs)} apart`,
    );
  }
}

interface Fault {
  readonly name: string;
  /** Killed; otherwise frozen: its connections stay open, and nothing is answered. */
  readonly isKill: boolean;
  /** Its replica is cut off first, so that the newest entries are lost too. */
  readonly isBehind: boolean;
}

const FAULTS: readonly Fault[] = [
  { name: 'killed', isKill: true, isBehind: false },
  { name: 'killed with a replica that is behind', isKill: true, isBehind: true },
  { name: 'silent with a replica that is behind', isKill: false, isBehind: true },
];

/** Times in milliseconds after the fault. */
export interface Recovery {
  readonly fault: Fault;
  readonly logMs: number;
  readonly packetMs: number;
  readonly repaired: number;
  /** Reads may fail between these times of `performance.now()`. */
  readonly atMs: number;
  readonly untilMs: number;
}

const BEHIND_MS = 1_500;
const BACK_MS_MAX = 60_000;
/** Entries that may be in flight during the fault and acknowledged after it. */
const UNDER_WAY_MAX = 20;
const POLL_MS = 50;
const LOG_CHARS = 3_000;

export function drawFaults(total: number, random: () => number): Fault[] {
  const rounds = Array.from({ length: Math.ceil(total / FAULTS.length) }, () => shuffle(FAULTS, random));
  return rounds.flat().slice(0, total);
}

function feedsOf({ processes }: System): string[] {
  return processes.names.filter((name) => name.startsWith('data-plane-feed'));
}

/** Distinguishes a store that stays away from a lost log, after which a feed at this speed is silent for up to 100 s. */
function stateOf({ processes, dataDir }: System, name: string): string {
  const log = readFileSync(join(dataDir, 'logs', `${name}.log`), 'utf8');
  return `${name} restarted ${processes.process(name).restarts} times; its log ends:\n${log.slice(-LOG_CHARS)}`;
}

/** Value of each feed's metric for the symbol under test; 0 if the feed does not answer. */
export async function ofFeeds(system: System, metric: string): Promise<number[]> {
  const each = feedsOf(system).map((name) =>
    readMetrics(opsUrlOf(system, name)).then(
      (metrics) => metrics.sum(metric, new RegExp(`symbol="${SYMBOL}"`)),
      () => 0,
    ),
  );
  return Promise.all(each);
}

export async function newestOrdinal(system: System): Promise<number> {
  return Math.max(...(await ofFeeds(system, 'feed_last_ordinal')));
}

/**
 * Applies the fault, waits until log and packets continue, and repairs the cluster. @throws Error if they don't
 * continue in 60 s
 */
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
      throw new Error([`${fault.name}: ${what} in ${BACK_MS_MAX} ms.`, ...feedsOf(system).map((name) => stateOf(system, name))].join('\n'));
    return performance.now() - atMs;
  }
  // Entries in flight may still be acknowledged.
  const isAppended = async (): Promise<boolean> => (await newestOrdinal(system)) > ordinal + UNDER_WAY_MAX;
  const [logBackMs, packetBackMs] = await Promise.all([
    timeUntil('no entry arrived', isAppended),
    timeUntil('no packet arrived', () => reads.newestPacketMs() > packetMs),
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
