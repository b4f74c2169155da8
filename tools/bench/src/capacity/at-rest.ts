import { setTimeout as delay } from 'node:timers/promises';
import type { System } from '@market-state/launcher';
import { silentLogger } from '@market-state/logging';
import { openRedis } from '@market-state/redis';
import type { Measured, Resting } from './figures';
import { cpuOfProcess, cpuOfStore } from './processes';

const PROCESSES = {
  feed: 'data-plane-feed',
  recorder: 'data-plane-recorder',
  labeling: 'labeling',
  dataPlane: 'data-plane',
  evaluator: 'webhook-evaluator',
  gateway: 'gateway',
} as const satisfies Partial<Record<keyof Resting, string>>;

type Part = keyof Resting;
const PARTS = [...(Object.keys(PROCESSES) as (keyof typeof PROCESSES)[]), 'redis', 'postgres'] as const;

function byPart(valueOf: (part: Part) => number): Resting {
  return Object.fromEntries(PARTS.map((part) => [part, valueOf(part)])) as unknown as Resting;
}

/** What a symbol costs while nobody asks. */
export type AtRest = Pick<Measured, 'entriesPerSecond' | 'redisBytesAnEntry' | 'resting'>;

/** Watches a system at recorded speed for so long. */
export async function measureAtRest(system: System, symbols: readonly string[], durationMs: number): Promise<AtRest> {
  const redis = openRedis(system.stores.redisUrl, { role: 'bench', logger: silentLogger(), manner: 'patient' });
  try {
    const appended = async (): Promise<number> => {
      const counts = await Promise.all(
        symbols.map(async (symbol) => fieldOf(await redis.call('XINFO', 'STREAM', keyOf(symbol)), 'entries-added')),
      );
      return counts.reduce((sum, count) => sum + count, 0);
    };
    const [startMs, entriesBefore, cpuBefore] = [performance.now(), await appended(), cpus(system)];
    await delay(durationMs);
    const [tookMs, entries, cpu] = [performance.now() - startMs, (await appended()) - entriesBefore, cpus(system)];
    const shareOf = (part: Part): number => (cpu[part] - cpuBefore[part]) / tookMs / symbols.length;
    const sizes = await Promise.all(
      symbols.map(async (symbol) => ({
        bytes: Number(await redis.call('MEMORY', 'USAGE', keyOf(symbol), 'SAMPLES', '0')),
        entries: await redis.xlen(keyOf(symbol)),
      })),
    );
    const sum = (part: 'bytes' | 'entries'): number => sizes.reduce((total, size) => total + size[part], 0);
    return {
      entriesPerSecond: (entries * 1_000) / tookMs / symbols.length,
      redisBytesAnEntry: sum('bytes') / sum('entries'),
      resting: byPart(shareOf),
    };
  } finally {
    redis.disconnect();
  }
}

function keyOf(symbol: string): string {
  return `md:{${symbol}}`;
}

const cpus = (system: System): Resting =>
  byPart((part) => {
    if (part === 'redis') return cpuOfStore('redis-server');
    return part === 'postgres' ? cpuOfStore('postgres') : cpuOfProcess(system, PROCESSES[part]);
  });

/** A number of an answer that gives names and values in turns. @throws Error when it is not there */
function fieldOf(answer: unknown, name: string): number {
  const parts = answer as readonly unknown[];
  const at = parts.indexOf(name);
  if (at === -1) throw new Error(`Redis says nothing of ${name}.`);
  return Number(parts[at + 1]);
}
