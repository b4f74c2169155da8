import { setTimeout as delay } from 'node:timers/promises';
import type { System } from '@market-state/launcher';
import { comesTrue } from '@market-state/testing';
import { pauseUpTo, type Report } from '../harness';
import type { PacketStream } from './packet-stream';
import { type ClusterScene, PACKET_MS, type ShardProcess } from './scene';

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

const BACK_MS_MAX = 60_000;
/** Long enough for windows to close meanwhile, and short enough for the pauses of the supervisor that follow. */
const AWAY_MS = 5_000;
const PACKET_BACK_MS_MAX = 10_000;
/** What a packet of another symbol may be later than usual, on a busy machine, milliseconds. */
const OTHERS_LATE_MS_MAX = 1_500;
const POLL_MS = 50;

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
