import { readRecorded } from '../store/recorded';
import type { RpcDeps } from './deps';

/**
 * The instant asked for, at most the last up to which everything received is recorded: an answer as of it stays the same. 0, which is now,
 * stays 0. Rejects as `storeFailure` says.
 */
export async function settledAsOf({ pool }: Pick<RpcDeps, 'pool'>, symbol: string, asOfMs: number): Promise<number> {
  if (asOfMs === 0) return 0;
  const { clockMs = 0 } = await readRecorded(pool, symbol);
  return Math.max(1, Math.min(asOfMs, clockMs - 1));
}
