import { type Queryable, run } from '@market-state/postgres';
import { tables } from './tables';

/** The channel on which every process hears of recalls and of credits that came free. */
export const NOTICE_CHANNEL = 'credit_notice';

/** What happened: leases of a gateway were recalled, or recalled credits of a tenant came free. */
export type Notice = `recall ${string}` | `freed ${string}`;

/** Sends a notice to every process, when the transaction is committed. */
export async function notify(on: Queryable, notice: Notice): Promise<void> {
  await on.query('SELECT pg_notify($1, $2)', [NOTICE_CHANNEL, notice]);
}

/** An event that nobody has taken yet. */
interface UntakenEvent {
  readonly id: string;
  readonly tenantId: string;
  readonly kind: string;
  readonly occasion: string;
  readonly payload: unknown;
  readonly createdMs: number;
}

/** The oldest events that were not taken. */
export async function listUntaken(on: Queryable, limit: number): Promise<UntakenEvent[]> {
  const { rows } = await run(
    on,
    tables
      .selectFrom('outbox')
      .select(['id', 'tenant_id', 'kind', 'occasion', 'payload', 'created_at'])
      .where('taken_at', 'is', null)
      .orderBy('id')
      .limit(limit),
  );
  return rows.map(({ id, kind, occasion, payload, ...row }) => ({
    id,
    tenantId: row.tenant_id,
    kind,
    occasion,
    payload,
    createdMs: row.created_at.getTime(),
  }));
}

/** Marks events as taken; those that are keep their time. */
export async function markTaken(on: Queryable, ids: readonly string[], nowMs: number): Promise<void> {
  await run(
    on,
    tables
      .updateTable('outbox')
      .set({ taken_at: new Date(nowMs) })
      .where('id', 'in', ids)
      .where('taken_at', 'is', null),
  );
}

/** Deletes events from before a time that were not taken. @returns how many */
export async function deleteUntaken(on: Queryable, beforeMs: number): Promise<number> {
  const { rowCount } = await run(
    on,
    tables.deleteFrom('outbox').where('taken_at', 'is', null).where('created_at', '<', new Date(beforeMs)),
  );
  return rowCount ?? 0;
}
