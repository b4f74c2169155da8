import type { account } from '@market-state/contracts';
import { rangeFaults, refuseFaults } from '@market-state/request-checks';
import type { Pool } from 'pg';
import { markTaken } from '../../store/outbox';

const IDS_MAX = 1_000;

/** Ids count up from 1. */
const ID = /^[1-9][0-9]{0,17}$/;

export interface AckOutboxDeps {
  readonly pool: Pool;
  readonly clock: () => number;
}

/** Marks events as taken. */
export async function ackOutbox({ pool, clock }: AckOutboxDeps, { ids }: account.AckOutboxRequest): Promise<account.AckOutboxResponse> {
  refuseFaults(
    rangeFaults('ids', ids.length, 1, IDS_MAX),
    ids.flatMap((id, index) => (ID.test(id) ? [] : [{ field: `ids[${index}]`, message: 'must be the id of an event', type: 'malformed' }])),
  );
  await markTaken(pool, ids, clock());
  return {};
}
