import { inTransaction } from '@market-state/postgres';
import type { Pool } from 'pg';
import { findJobOfOperation } from '../store/jobs';
import { endReservation } from '../store/reservations';
import type { Upstreams } from '../upstreams';

/**
 * Gives back credits that were reserved for a job that was not written. The note is locked meanwhile: whoever is still about to write the
 * job waits, finds it gone and writes none. Where there is no note nothing happens: then there is a job, or the credits were given back. A
 * note that an equal order left beside the job is ended, and the job keeps its credits.
 */
export function giveBackReserved(
  { pool, credits }: Pick<Upstreams, 'credits'> & { readonly pool: Pool },
  operationId: string,
): Promise<void> {
  return inTransaction(pool, async (client) => {
    const noted = await endReservation(client, operationId);
    if (noted && (await findJobOfOperation(client, operationId)) === undefined) await credits.call.release({ operationId });
  });
}
