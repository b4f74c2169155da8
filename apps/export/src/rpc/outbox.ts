import type { exports } from '@market-state/contracts';
import { idFaults, rangeFaults, refuseFaults } from '@market-state/request-checks';
import type { Pool } from 'pg';
import { listUnacknowledged, acknowledge } from '../store/outbox';

const PAGE_SIZE_MAX = 1_000;
const IDS_MAX = 1_000;

export interface AckOutboxDeps {
  readonly pool: Pool;
  readonly clock: () => number;
}

export async function listOutbox(
  { pool }: { readonly pool: Pool },
  { pageSize }: exports.ListOutboxRequest,
): Promise<exports.ListOutboxResponse> {
  refuseFaults(rangeFaults('page_size', pageSize, 1, PAGE_SIZE_MAX));
  const events = await listUnacknowledged(pool, pageSize);
  return {
    entries: events.map(({ createdMs, payload, ...event }) => ({
      ...event,
      payload: Buffer.from(JSON.stringify(payload)),
      createdTsMs: createdMs,
    })),
  };
}

export async function ackOutbox({ pool, clock }: AckOutboxDeps, { ids }: exports.AckOutboxRequest): Promise<exports.AckOutboxResponse> {
  refuseFaults(
    rangeFaults('ids', ids.length, 1, IDS_MAX),
    ids.flatMap((id, index) => idFaults(`ids[${index}]`, id)),
  );
  await acknowledge(pool, ids, clock());
  return {};
}
