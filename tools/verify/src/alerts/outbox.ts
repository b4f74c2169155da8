import type { account } from '@market-state/contracts';
import { unavailable } from '@market-state/errors';

/** An acknowledgement in so many is not heard, and one in so many is heard without an answer. */
const ACK_FAILS_EVERY = 4;

/** An outbox of account or export, kept as a service keeps it until its entries are acknowledged. */
export interface Outbox {
  add(entry: account.OutboxEntry): void;
  isEmpty(): boolean;
  readonly handlers: {
    listOutbox(request: account.ListOutboxRequest): Promise<account.ListOutboxResponse>;
    ackOutbox(request: account.AckOutboxRequest): Promise<account.AckOutboxResponse>;
  };
}

/** @param random for acknowledgements that fail; without it none does */
export function createOutbox(random?: () => number): Outbox {
  let entries: account.OutboxEntry[] = [];
  const fails = (): boolean => random !== undefined && random() * ACK_FAILS_EVERY < 1;
  return {
    add: (entry) => void entries.push(entry),
    isEmpty: () => entries.length === 0,
    handlers: {
      listOutbox: async ({ pageSize }) => ({ entries: entries.slice(0, pageSize) }),
      async ackOutbox({ ids }) {
        if (fails()) throw unavailable('internal', 'Not heard.');
        entries = entries.filter(({ id }) => !ids.includes(id));
        if (fails()) throw unavailable('internal', 'Heard, and not answered.');
        return {};
      },
    },
  };
}

/** What happened elsewhere, once for a tenant. */
export function entryOf(kind: 'export.finished' | 'usage.threshold_reached', tenantId: string, number: number): account.OutboxEntry {
  const payload = kind === 'export.finished' ? { job_id: `exp_${number}`, status: 'ready' } : { percent: number };
  return {
    id: `${kind} ${tenantId} ${number}`,
    tenantId,
    kind,
    occasion: String(number),
    payload: Buffer.from(JSON.stringify(payload)),
    createdTsMs: number,
  };
}
