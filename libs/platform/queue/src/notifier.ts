import { type Closable, repeatUntilClosed } from '@market-state/lifecycle';
import type { Logger } from '@market-state/logging';
import type { z } from 'zod';
import { createProducers } from './producer';
import { type RunningWorker, startWorkers, type WorkerOptions } from './worker';

/** Queue of wake-ups: jobs without work, naming only a row to check. */
export interface WakeUpQueue<WakeUp> {
  readonly name: string;
  /** One per shard, in braces; shards spread over the nodes of a Redis Cluster. */
  readonly prefixes: readonly string[];
  /** Versioned payload; a codec if the form in Redis differs. */
  readonly payload: z.ZodType<WakeUp>;
  /** Wake-ups with equal keys go to the same shard. */
  readonly keyOf: (wakeUp: WakeUp) => string;
  /** Wake-ups whose id is already waiting are not added again. */
  readonly jobIdOf: (wakeUp: WakeUp) => string;
}

export interface Notifier<WakeUp> extends Closable {
  /** Never rejects: a lost wake-up only delays work until the next search for due work. */
  notify(wakeUps: readonly WakeUp[]): Promise<void>;
}

/** One connection, or one per node of a cluster. */
export function createNotifier<WakeUp>(queue: WakeUpQueue<WakeUp>, redisUrl: string, logger: Logger): Notifier<WakeUp> {
  const { keyOf, jobIdOf, prefixes } = queue;
  const producers = createProducers(shardsOf(queue), redisUrl, logger);
  return {
    async notify(wakeUps) {
      const shards = new Map<number, WakeUp[]>();
      for (const wakeUp of wakeUps) {
        const shard = shardOf(keyOf(wakeUp), prefixes.length);
        shards.set(shard, [...(shards.get(shard) ?? []), wakeUp]);
      }
      const added = await Promise.allSettled(
        [...shards].map(([shard, those]) => producers.each[shard]?.addAll(those.map((payload) => ({ payload, jobId: jobIdOf(payload) })))),
      );
      const lost = added.find((result) => result.status === 'rejected');
      if (lost !== undefined) logger.warn({ err: lost.reason }, 'waking workers failed; the next search for due work will do so');
    },
    close: () => producers.close(),
  };
}

/** At most `concurrency` at a time per shard. Failures are logged; the next search wakes again. */
export function startWakeUpWorkers<WakeUp>(
  queue: WakeUpQueue<WakeUp>,
  options: WorkerOptions,
  work: (wakeUp: WakeUp) => Promise<void>,
): RunningWorker {
  return startWorkers(shardsOf(queue), options, work);
}

function shardsOf<WakeUp>({ name, prefixes, payload }: WakeUpQueue<WakeUp>) {
  return prefixes.map((prefix) => ({ name, prefix, payload }));
}

/** FNV-1a of the key; stable across processes and releases. */
export function shardOf(key: string, shards: number): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < key.length; at++) hash = Math.imul(hash ^ key.charCodeAt(at), 0x01000193);
  return (hash >>> 0) % shards;
}

interface DueWorkOptions<Found> {
  /** Returns a bounded number of due rows without a known wake-up. */
  readonly search: () => Promise<readonly Found[]>;
  readonly notify: (found: readonly Found[]) => Promise<void>;
  readonly everyMs: number;
  readonly logger: Logger;
}

/**
 * Searches the database until closed for work that became due or whose wake-up was lost. Every process may search:
 * duplicate wake-ups are harmless.
 */
export function searchDueWork<Found>({ search, notify, everyMs, logger }: DueWorkOptions<Found>): Closable {
  return repeatUntilClosed(
    async () => {
      const found = await search();
      if (found.length > 0) await notify(found);
    },
    { intervalMs: everyMs, onError: (error) => logger.warn({ err: error }, 'the search for due work failed; will retry') },
  );
}
