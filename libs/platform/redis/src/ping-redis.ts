import { Cluster } from 'ioredis';
import type { RedisConnection } from './open-redis';

/** Slots that the keys of a cluster are in. */
const SLOTS = 16_384;

/**
 * Round trip, milliseconds.
 * @throws Error when Redis does not answer or, of a cluster, when the node asked misses a primary: then some keys can't be reached
 */
export async function pingRedis(redis: RedisConnection): Promise<number> {
  const startedMs = performance.now();
  if (redis instanceof Cluster) assertWhole(String(await redis.cluster('INFO')));
  else await redis.ping();
  return performance.now() - startedMs;
}

function assertWhole(info: string): void {
  const field = (name: string): string | undefined => new RegExp(`^${name}:(\\w+)`, 'm').exec(info)?.[1];
  const [state, served] = [field('cluster_state'), Number(field('cluster_slots_ok'))];
  if (state !== 'ok' || served !== SLOTS) throw new Error(`the cluster serves ${served} of ${SLOTS} slots, its state is ${state}`);
}
