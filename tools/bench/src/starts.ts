import { setTimeout as delay } from 'node:timers/promises';
import { startSystem, takeTemporaryFolder } from '@market-state/launcher';
import { timeLimit } from '@market-state/lifecycle';
import { memoryOfTree } from '@market-state/testing';

const readyLimitMs = 300_000;
const restMs = 15_000;
/** Megabytes of 10^6 bytes; measurements are also given in MiB. */
const memoryGoalMb = 1_000;
const bytesOfMiB = 1_024 * 1_024;
const coldGoalMs = 30_000;
const warmGoalMs = 5_000;

export async function measureStarts(say: (line: string) => void): Promise<void> {
  const { path: dataDir, remove } = takeTemporaryFolder();
  try {
    const { system: first, readyMs: coldMs } = await start(dataDir);
    say(`cold start to ready, with an hour or more of history: ${seconds(coldMs)} (goal ${seconds(coldGoalMs)})`);
    await delay(restMs);
    const { processes, totalMiB } = memoryOfTree(process.pid);
    for (const { name, mib } of processes) say(`  ${name}: ${mib.toFixed(0)} MiB`);
    say(
      `memory of the whole stack at rest, proportional set size: ${totalMiB.toFixed(0)} MiB = ` +
        `${((totalMiB * bytesOfMiB) / 1_000_000).toFixed(0)} MB (goal ${memoryGoalMb} MB)`,
    );
    const stopStartedAt = performance.now();
    await first.stop();
    say(`stop: ${seconds(performance.now() - stopStartedAt)}`);
    const { system: second, readyMs: warmMs } = await start(dataDir);
    say(`warm start to ready: ${seconds(warmMs)} (goal ${seconds(warmGoalMs)})`);
    await second.stop();
  } finally {
    remove();
  }
}

async function start(dataDir: string): Promise<{ system: Awaited<ReturnType<typeof startSystem>>; readyMs: number }> {
  const startedAt = performance.now();
  const system = await startSystem({ dataDir, settings: { FEED: 'recording,simulated' } });
  await system.ready(timeLimit(readyLimitMs));
  return { system, readyMs: performance.now() - startedAt };
}

function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(1)} s`;
}
