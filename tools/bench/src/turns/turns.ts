import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { startSystem, type System, takeTemporaryFolder, workspaceRoot } from '@market-state/launcher';
import { timeLimit } from '@market-state/lifecycle';
import { percentile, waitUntil } from '@market-state/testing';
import { inSlices, readRoutes } from '../reads/read-routes';
import { enterpriseKeys, steadyLoad } from '../reads/steady-load';
import { longTurns, readRecorded } from './long-turns';

const READY_LIMIT_MS = 300_000;
const TENANTS = 20;
const WARM_UP_MS = 20_000;
const LONG_MS = 10;
const SHOWN = 12;
const PROCESSES = ['gateway', 'labeling', 'data-plane', 'account'] as const;

export interface TurnsPlan {
  readonly perSecond: number;
  readonly durationMs: number;
}

/**
 * Profiles the processes that serve reads under the mix of all read routes, and reports turns of 10 ms and more of
 * their event loops: functions, and the routes served at the time. Profiling takes part of the CPU.
 */
export async function measureTurns({ perSecond, durationMs }: TurnsPlan, say: (line: string) => void): Promise<void> {
  const { path: dataDir, remove } = takeTemporaryFolder();
  const recorder = join(workspaceRoot(), 'tools', 'bench', 'src', 'turns', 'record-turns.cjs');
  const settings = { FEED: 'recording,simulated', CONNECTIONS_PER_ADDRESS: '2000', NODE_OPTIONS: `--require=${recorder}` };
  const system = await startSystem({ dataDir, settings });
  try {
    await system.ready(timeLimit(READY_LIMIT_MS));
    const keys = await enterpriseKeys(system, TENANTS);
    const headers = keys.map((key) => ({ 'x-market-state-api-key': key }));
    const mix = inSlices(await readRoutes(system.url, keys[0] ?? ''));
    await steadyLoad(system.url, mix, headers, { perSecond, durationMs: WARM_UP_MS });
    for (const name of PROCESSES) system.processes.signal(name, 'SIGUSR2');
    const answers = await steadyLoad(system.url, mix, headers, { perSecond, durationMs });
    const times = answers.map(({ ms }) => ms);
    say(`${perSecond} reads/s while profiled: p50 ${percentile(times, 0.5).toFixed(1)} ms, p99 ${percentile(times, 0.99).toFixed(1)} ms`);
    for (const name of PROCESSES) await reportProcess(system, name, say);
  } finally {
    await system.stop();
    remove();
  }
}

async function reportProcess(system: System, name: string, say: (line: string) => void): Promise<void> {
  const file = join(system.dataDir, `turns-${system.processes.signal(name, 'SIGUSR2')}.json`);
  await waitUntil(`the profile of ${name}`, () => existsSync(file));
  const recorded = readRecorded(file);
  rmSync(file);
  const turns = longTurns(recorded, LONG_MS);
  const all = turns.map(({ ms }) => ms);
  say(
    `${name}: ${turns.length} turns of ${LONG_MS} ms and more, ${all.reduce((sum, ms) => sum + ms, 0).toFixed(0)} ms, longest ${Math.max(0, ...all).toFixed(0)} ms`,
  );
  for (const isYoung of [true, false]) {
    const own = recorded.collections.filter((each) => each.isYoung === isYoung).map(({ ms }) => ms);
    say(
      `  ${own.length} ${isYoung ? 'young' : 'other'} garbage collections: ${own.reduce((sum, ms) => sum + ms, 0).toFixed(0)} ms, longest ${Math.max(0, ...own).toFixed(0)} ms`,
    );
  }
  for (const [place, ms] of largest(turns.flatMap(({ msByPlace }) => [...msByPlace]))) say(`  ${ms.toFixed(0)} ms in ${place}`);
  for (const [path, ms] of largest(turns.flatMap((turn) => turn.paths.map((path): [string, number] => [path, turn.ms]))))
    say(`  ${ms.toFixed(0)} ms of turns with ${path}`);
}

function largest(entries: readonly (readonly [string, number])[]): readonly (readonly [string, number])[] {
  const sums = new Map<string, number>();
  for (const [name, ms] of entries) sums.set(name, (sums.get(name) ?? 0) + ms);
  return [...sums].sort(([, a], [, b]) => b - a).slice(0, SHOWN);
}
