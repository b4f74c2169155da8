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
} as const;

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
    const shareOf = (part: keyof Resting): number => (cpu[part] - cpuBefore[part]) / tookMs / symbols.length;
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
      resting: {
        feed: shareOf('feed'),
        recorder: shareOf('recorder'),
        labeling: shareOf('labeling'),
        dataPlane: shareOf('dataPlane'),
        evaluator: shareOf('evaluator'),
        gateway: shareOf('gateway'),
        redis: shareOf('redis'),
        postgres: shareOf('postgres'),
      },
    };
  } finally {
    redis.disconnect();
  }
}

function keyOf(symbol: string): string {
  return `md:{${symbol}}`;
}

function cpus(system: System): Readonly<Record<keyof Resting, number>> {
  return {
    feed: cpuOfProcess(system, PROCESSES.feed),
    recorder: cpuOfProcess(system, PROCESSES.recorder),
    labeling: cpuOfProcess(system, PROCESSES.labeling),
    dataPlane: cpuOfProcess(system, PROCESSES.dataPlane),
    evaluator: cpuOfProcess(system, PROCESSES.evaluator),
    gateway: cpuOfProcess(system, PROCESSES.gateway),
    redis: cpuOfStore('redis-server'),
    postgres: cpuOfStore('postgres'),
  };
}

/** A number of an answer that gives names and values in turns. @throws Error when it is not there */
function fieldOf(answer: unknown, name: string): number {
  const parts = answer as readonly unknown[];
  const at = parts.indexOf(name);
  if (at === -1) throw new Error(`Redis says nothing of ${name}.`);
  return Number(parts[at + 1]);
}
