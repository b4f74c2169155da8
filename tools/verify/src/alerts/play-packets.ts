import type { labeling } from '@market-state/contracts';
import { delay } from '@market-state/lifecycle';
import type { Pool } from 'pg';
import { sumOf, wholeBetween } from '@market-state/testing';
import { pauseUpTo, spreadKills } from '../harness';
import type { Evaluators } from './evaluators';

const POLL_MS = 5;
/** Packets that come at once, and how many may wait, where chance decides. */
const BATCH_MAX = 30;
const AHEAD_MAX = 15;
const PAUSE_MS_MAX = 40;
const STALLED_MS_MAX = 60_000;

/** Packets of every symbol, in its order. */
export type PacketsBySymbol = ReadonlyMap<string, readonly labeling.PacketRecord[]>;

export const packetTotalOf = (packets: PacketsBySymbol): number => sumOf([...packets.values()].map(({ length }) => length));

/** How the evaluators are disturbed. */
export interface Disturbance {
  readonly kills: number;
  readonly random: () => number;
  readonly say: (line: string) => void;
}

/**
 * Publishes all packets, and resolves when they were looked at and the outboxes are empty. Undisturbed, all come at once; else a few at a
 * time, while evaluators are killed and labeling is restarted.
 * @returns how many kills hit the evaluator at work
 */
export async function playPackets(
  pool: Pool,
  packets: PacketsBySymbol,
  evaluators: Evaluators,
  disturbance?: Disturbance,
): Promise<number> {
  const total = packetTotalOf(packets);
  const disturb = disturbance === undefined ? async () => 0 : disturber(evaluators, total, disturbance);
  let killsAtWork = 0;
  let [lookedBefore, movedMs] = [0, performance.now()];
  for (;;) {
    const looked = await lookedAt(pool);
    const lookedTotal = sumOf([...looked.values()]);
    if (lookedTotal !== lookedBefore) [lookedBefore, movedMs] = [lookedTotal, performance.now()];
    if (performance.now() - movedMs > STALLED_MS_MAX) throw new Error(`The evaluators stand still at packet ${lookedTotal} of ${total}.`);
    publish(packets, looked, evaluators.published, disturbance?.random);
    evaluators.fillOutboxes(lookedTotal / total);
    killsAtWork += await disturb(lookedTotal);
    if (lookedTotal === total && evaluators.areOutboxesTaken()) return killsAtWork;
    await delay(POLL_MS);
  }
}

/** Number of the newest packet that was looked at, by symbol. */
async function lookedAt(pool: Pool): Promise<Map<string, number>> {
  const { rows } = await pool.query<{ symbol: string; sequence: number }>('SELECT symbol, sequence::float8 AS sequence FROM packet_cursor');
  return new Map(rows.map(({ symbol, sequence }) => [symbol, sequence]));
}

/** The first packet of a symbol alone, since evaluators begin at the newest. */
function publish(
  packets: PacketsBySymbol,
  looked: ReadonlyMap<string, number>,
  published: labeling.PacketRecord[],
  random: (() => number) | undefined,
): void {
  for (const [symbol, all] of packets) {
    const seen = looked.get(symbol) ?? 0;
    const told = published.filter((packet) => packet.symbol === symbol).length;
    if (seen === 0 && told > 0) continue;
    if (random !== undefined && told - seen > AHEAD_MAX) continue;
    const more = random === undefined ? all.length : wholeBetween(1, BATCH_MAX, random);
    published.push(...all.slice(told, seen === 0 ? 1 : told + more));
  }
}

/** Kills at random moments, and restarts labeling in the middle. */
function disturber(evaluators: Evaluators, total: number, { kills, random, say }: Disturbance): (lookedTotal: number) => Promise<number> {
  const killing = spreadKills(kills, total, random);
  let isRestarted = false;
  return async (lookedTotal) => {
    let atWork = 0;
    for (const kill of killing.due(lookedTotal)) {
      await pauseUpTo(PAUSE_MS_MAX, random);
      if (await evaluators.kill(random)) atWork += 1;
      if (kill % 10 === 0 || kill === kills) say(`kill ${kill} of ${kills}, after packet ${lookedTotal} of ${total}`);
    }
    if (!isRestarted && lookedTotal * 2 > total) {
      isRestarted = true;
      await evaluators.restartLabeling();
      say('labeling was restarted');
    }
    return atWork;
  };
}
