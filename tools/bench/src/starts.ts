import { setTimeout as delay } from 'node:timers/promises';
import { startSystem, type System, takeTemporaryFolder } from '@market-state/launcher';
import { timeLimit, waitFor } from '@market-state/lifecycle';
import { memoryOfTree } from '@market-state/testing';

const readyLimitMs = 300_000;
const restMs = 15_000;
/** Megabytes of 10^6 bytes; measurements are also given in MiB. */
const memoryGoalMb = 900;
const bytesOfMiB = 1_024 * 1_024;
const answerGoalMs = 10_000;
const coldGoalMs = 30_000;
const warmGoalMs = 5_000;

export async function measureStarts(say: (line: string) => void): Promise<void> {
  const { path: dataDir, remove } = takeTemporaryFolder();
  try {
    const { system: first, ...cold } = await start(dataDir);
    say(`cold start to the first packet answered: ${seconds(cold.answeredMs)} (goal ${seconds(answerGoalMs)})`);
    say(`cold start to ready: ${seconds(cold.servingMs)}`);
    say(`cold start to a filled history of an hour or more: ${seconds(cold.readyMs)} (goal ${seconds(coldGoalMs)})`);
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

interface Start {
  readonly system: System;
  readonly answeredMs: number;
  readonly servingMs: number;
  readonly readyMs: number;
}

async function start(dataDir: string): Promise<Start> {
  const startedAt = performance.now();
  const sinceStart = (): number => performance.now() - startedAt;
  const system = await startSystem({ dataDir, settings: { FEED: 'recording,simulated' } });
  const signal = timeLimit(readyLimitMs);
  const [answeredMs, servingMs] = await Promise.all([
    waitForPacket(system, signal).then(sinceStart),
    system.serving(signal).then(sinceStart),
  ]);
  await system.ready(signal);
  return { system, answeredMs, servingMs, readyMs: sinceStart() };
}

/** Resolves at the first answer with a packet. */
async function waitForPacket(system: System, signal: AbortSignal): Promise<void> {
  const key = await waitFor('account', () => system.demoKey(), { signal });
  const url = `${system.url}/api/public/market-state/latest?symbol=BTCUSD-PERP`;
  const read = async (): Promise<void> => {
    const { status } = await fetch(url, { headers: { 'x-market-state-api-key': key }, signal });
    if (status !== 200) throw new Error(`${url} answered ${status}.`);
  };
  await waitFor('a packet', read, { signal, minDelayMs: 50, maxDelayMs: 200 });
}

function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(1)} s`;
}
