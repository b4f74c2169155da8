import { setTimeout as delay } from 'node:timers/promises';
import type { System } from '@market-state/launcher';
import type { Proof, ProofContext } from '../proof';
import { createRandom } from '../random';
import { extentOf } from '../recorded/retained';
import { compareWithUnbroken, recordedSymbols } from '../recorded/run-recording';
import { killAt } from './kill-at';
import { planKills } from './kill-plan';
import type { Place } from './places';

const speed = 30;
const hourMs = 3_600_000;
/** About what the system takes to be up, and one kill until packets come again. Only places the hour in the run; nothing depends on it. */
const startMs = 8_000;
const killMs = 4_000;
const pollMs = 50;
const recoveryLimitMs = 60_000;
/** Long enough for the next hour of the recording to come, on a busy machine too. */
const reachLimitMs = (3 * hourMs) / speed;
const hourPlace: Place = "before an hour's checkpoint is written";

/** Kills the labeling process at chosen and at random points and compares what is left with a run that nobody disturbed. */
export const labelerProof: Proof = {
  id: 'labeler',
  claim: 'the labeler killed at random points leaves the packets, chain, signatures and checkpoints of an unbroken run',
  budget: { default: 20, counts: 'kills' },
  async run({ seed, budget, say }) {
    const random = createRandom(seed);
    const plan = planKills(budget, random);
    const leadMs = Math.ceil((speed * (startMs + killMs * plan.beforeHour.length)) / 10_000) * 10_000;
    // Not in the past: what is old counts as stale, and the system as not ready.
    const feedStartMs = Math.ceil((Date.now() + leadMs) / hourMs) * hourMs - leadMs;
    const recoveries: number[] = [];
    const { failures, figures } = await compareWithUnbroken({ feedStartMs, speed }, say, (system) =>
      killAll(system, [...plan.beforeHour, ...plan.fromHourOn], random, say, recoveries),
    );
    const checkpointless = figures.every(([, figure]) => figure.endsWith(' 0 checkpoints'));
    const longest = Math.round(Math.max(...recoveries));
    return {
      failures: checkpointless ? [...failures, 'No checkpoint fell into the run.'] : failures,
      timing: [],
      figures: [['kills', `${budget}; the next packets after at most ${longest} ms`], ...figures],
    };
  },
};

async function killAll(
  system: System,
  places: readonly Place[],
  random: () => number,
  say: ProofContext['say'],
  recoveries: number[],
): Promise<void> {
  for (const [index, place] of places.entries()) {
    await killAt(system, place, reachLimitMs, random);
    const kill = `kill ${index + 1} of ${places.length}: ${place}`;
    // Killed again at the same checkpoint: an hour has only one.
    if (place === hourPlace && places[index + 1] === hourPlace) {
      say(`${kill}; killed there again`);
      continue;
    }
    const startedMs = performance.now();
    await nextPackets(system);
    const recoveredMs = performance.now() - startedMs;
    recoveries.push(recoveredMs);
    say(`${kill}; the next packets after ${Math.round(recoveredMs)} ms`);
  }
}

/** Resolves when every symbol has a packet that it had not when this was called. */
async function nextPackets(system: System): Promise<void> {
  const newest = async (): Promise<number[]> =>
    Promise.all(recordedSymbols.map(async (symbol) => (await extentOf(system, symbol)).lastWindowEndMs));
  const before = await newest();
  const deadline = performance.now() + recoveryLimitMs;
  while ((await newest()).some((windowEndMs, index) => windowEndMs <= (before[index] ?? 0))) {
    if (performance.now() > deadline) throw new Error(`No packet of every symbol came in ${recoveryLimitMs} ms after a kill.`);
    await delay(pollMs);
  }
}
