import type { Closable } from '@market-state/lifecycle';
import type { Logger } from '@market-state/logging';
import type { z } from 'zod';
import { createProducers } from './producer';
import { type RunningWorker, startWorkers, type WorkerOptions } from './worker';

/** A queue of wake-ups: jobs that carry no work, only which row to look at. */
export interface WakeUpQueue<WakeUp> {
  readonly name: string;
  /** One for each shard, in braces: shards lie on as many nodes of a Redis Cluster as there are. */
  readonly prefixes: readonly string[];
  /** Tagged with a version. A codec where the wake-up has another form in Redis. */
  readonly payload: z.ZodType<WakeUp>;
  /** Wake-ups with equal keys go to one shard. */
  readonly keyOf: (wakeUp: WakeUp) => string;
  /** A wake-up whose id waits already is not added again. */
  readonly jobIdOf: (wakeUp: WakeUp) => string;
}

/** Sends wake-ups. */
export interface Notifier<WakeUp> extends Closable {
  /** Never rejects: a wake-up that is lost only delays, until the next search for due work. */
  notify(wakeUps: readonly WakeUp[]): Promise<void>;
}

/** A notifier of a queue, over one connection: in a cluster, one to each of its nodes. */
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
      if (lost !== undefined) logger.warn({ err: lost.reason }, 'workers could not be woken; the next search for due work does so');
    },
    close: () => producers.close(),
  };
}

/** Answers wake-ups with `work`, `concurrency` at a time of each shard. A failure is logged, and the next search wakes again. */
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

/** FNV-1a of the key: the same in every process and release. */
export function shardOf(key: string, shards: number): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < key.length; at++) hash = Math.imul(hash ^ key.charCodeAt(at), 0x01000193);
  return (hash >>> 0) % shards;
}
