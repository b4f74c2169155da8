import { timeLimit } from '@market-state/lifecycle';
import { listRecalledLeases } from '../store/leases';
import type { Credits } from './credits';

/** Time from one heartbeat to the next at most; also how late a recall is told whose notice was missed. */
const HEARTBEAT_MS = 1_000;

/**
 * The recalled leases of a gateway that have not ended, each once, as they are recalled; an empty list at least once a second. Ends with
 * `signal`.
 */
export async function* watchRecalls(
  { pool, notices }: Pick<Credits, 'pool' | 'notices'>,
  gatewayId: string,
  signal: AbortSignal,
): AsyncGenerator<readonly string[]> {
  const told = new Set<string>();
  while (!signal.aborted) {
    const heard = new AbortController();
    const recalled = notices.next(`recall ${gatewayId}`, AbortSignal.any([signal, heard.signal, timeLimit(HEARTBEAT_MS)]));
    try {
      const fresh = (await listRecalledLeases(pool, gatewayId)).filter((id) => !told.has(id));
      for (const id of fresh) told.add(id);
      yield fresh;
      await recalled;
    } finally {
      heard.abort();
    }
  }
}
