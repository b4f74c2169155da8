import type { exports } from '@market-state/contracts';
import { idFaults, rangeFaults, refuseFaults } from '@market-state/request-checks';
import type { Pool } from 'pg';
import { markTaken } from '../store/outbox';

const IDS_MAX = 1_000;

export interface AckOutboxDeps {
  readonly pool: Pool;
  readonly clock: () => number;
}

/** Marks events as taken. */
export async function ackOutbox({ pool, clock }: AckOutboxDeps, { ids }: exports.AckOutboxRequest): Promise<exports.AckOutboxResponse> {
  refuseFaults(
    rangeFaults('ids', ids.length, 1, IDS_MAX),
    ids.flatMap((id, index) => idFaults(`ids[${index}]`, id)),
  );
  await markTaken(pool, ids, clock());
  return {};
}
