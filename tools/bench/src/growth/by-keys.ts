import type { System } from '@market-state/launcher';
import { enterpriseKeys } from '../reads/enterprise-key';
import { cpuMsBelow, proportionalMiB, restingCpu } from '@market-state/testing';
import { steadyLoad } from '../reads/steady-load';
import type { GrowthRead } from './growth-reads';
import { refusedOf } from './refused';
import { type Column, tableOf } from './table';

/** Below what the plan of the one tenant allows. */
const PER_SECOND = 480;
/** What is asked with keys that were not seen before: fewer than the gateway looks up in a second; the rest it would refuse. */
const KEYS_PER_SECOND = 100;
const ONE_KEY_MS = 8_000;
const RESTING_MS = 10_000;

/** Reads with one key, and with so many keys of as many tenants in turn, each for the first time and again; the gateway's memory. */
export async function growthByKeys(
  system: System,
  reads: readonly GrowthRead[],
  keyTotal: number,
  say: (line: string) => void,
): Promise<void> {
  const keys = await enterpriseKeys(system, keyTotal);
  const resting = await restingCpu(process.pid, 0, RESTING_MS);
  const told: string[] = [];
  const columns: Column[] = [];
  const all = { keys, perSecond: KEYS_PER_SECOND, durationMs: (keyTotal * 1_000) / KEYS_PER_SECOND };
  const rounds = [
    { title: '1 key', keys: keys.slice(0, 1), perSecond: PER_SECOND, durationMs: ONE_KEY_MS },
    { title: `${keyTotal} keys, first time`, ...all },
    { title: 'again', ...all },
  ];
  for (const { title, keys: some, perSecond, durationMs } of rounds) {
    const headers = some.map((key) => ({ 'x-market-state-api-key': key }));
    const figures = new Map<string, number>();
    for (const { name, addresses } of reads) {
      const [startMs, before] = [performance.now(), cpuMsBelow(process.pid, 0)];
      const targets = addresses.map((address) => ({ path: name, address }));
      const answers = await steadyLoad(system.url, targets, headers, { perSecond, durationMs });
      const usedMs = cpuMsBelow(process.pid, 0) - before - resting * (performance.now() - startMs);
      const refused = refusedOf(answers.map(({ status }) => status));
      if (refused !== undefined) say(`${name}, ${title}: ${refused}`);
      figures.set(name, refused === undefined ? usedMs / answers.length : NaN);
    }
    columns.push({ title, figures });
    told.push(`${title} ${proportionalMiB(system.processes.process('gateway').pid ?? 0).toFixed(0)} MiB`);
  }
  for (const line of tableOf(columns)) say(line);
  say(`memory of the gateway after that: ${told.join(', ')}`);
}
