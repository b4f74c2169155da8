import { inTransaction } from '@market-state/postgres';
import type { Pool } from 'pg';
import { endReservation } from '../store/reservations';
import type { Upstreams } from '../upstreams';

/**
 * Gives back credits that were reserved for a job that was not written. The note is locked meanwhile: whoever is still about to write the
 * job
 * waits, finds it gone and writes none. Nothing happens where there is no note: then there is a job, or the credits were given back.
 */
export function giveBackReserved(
  { pool, credits }: Pick<Upstreams, 'credits'> & { readonly pool: Pool },
  operationId: string,
): Promise<void> {
  return inTransaction(pool, async (client) => {
    if (await endReservation(client, operationId)) await credits.call.release({ operationId });
  });
}
