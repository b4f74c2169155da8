import type { exports } from '@market-state/contracts';
import { rangeFaults, refuseFaults } from '@market-state/request-checks';
import type { Pool } from 'pg';
import { listUntaken } from '../store/outbox';

const PAGE_SIZE_MAX = 1_000;

/** The oldest events that nobody has acknowledged. */
export async function listOutbox(
  { pool }: { readonly pool: Pool },
  { pageSize }: exports.ListOutboxRequest,
): Promise<exports.ListOutboxResponse> {
  refuseFaults(rangeFaults('page_size', pageSize, 1, PAGE_SIZE_MAX));
  const events = await listUntaken(pool, pageSize);
  return {
    entries: events.map(({ createdMs, payload, ...event }) => ({
      ...event,
      payload: Buffer.from(JSON.stringify(payload)),
      createdTsMs: createdMs,
    })),
  };
}
