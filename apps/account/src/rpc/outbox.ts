import { account } from '@market-state/contracts';
import { bindService, type BoundService, withDeps } from '@market-state/grpc';
import { orUnavailable } from '@market-state/postgres';
import { rangeFaults, refuseFaults } from '@market-state/request-checks';
import type { Pool } from 'pg';
import { acknowledge, listUnacknowledged } from '../store/outbox';
import type { AccountDeps } from '../deps';

const PAGE_SIZE_MAX = 1_000;

async function listOutbox({ pool }: { readonly pool: Pool }, { pageSize }: account.ListOutboxRequest): Promise<account.ListOutboxResponse> {
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

const IDS_MAX = 1_000;

/** Ids start at 1. */
const ID = /^[1-9][0-9]{0,17}$/;

type AckOutboxDeps = Pick<AccountDeps, 'pool' | 'clock'>;

async function ackOutbox({ pool, clock }: AckOutboxDeps, { ids }: account.AckOutboxRequest): Promise<account.AckOutboxResponse> {
  refuseFaults(
    rangeFaults('ids', ids.length, 1, IDS_MAX),
    ids.flatMap((id, index) => (ID.test(id) ? [] : [{ field: `ids[${index}]`, message: 'must be an event id', type: 'malformed' }])),
  );
  await acknowledge(pool, ids, clock());
  return {};
}

export function bindOutboxService(deps: AckOutboxDeps): BoundService {
  return bindService(account.OutboxServiceService, withDeps(deps, { listOutbox, ackOutbox }), orUnavailable('account'));
}
