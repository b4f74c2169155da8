import { type Queryable, run } from '@market-state/postgres';
import { tables } from './tables';

/** Notifies every process of recalls and freed credits. */
export const NOTICE_CHANNEL = 'credit_notice';

/** Leases of a gateway were recalled, or recalled credits of a tenant became free. */
export type Notice = `recall ${string}` | `freed ${string}`;

/** Delivered to every process on commit. */
export async function notify(on: Queryable, notice: Notice): Promise<void> {
  await on.query('SELECT pg_notify($1, $2)', [NOTICE_CHANNEL, notice]);
}

interface UnacknowledgedEvent {
  readonly id: string;
  readonly tenantId: string;
  readonly kind: string;
  readonly occasion: string;
  readonly payload: unknown;
  readonly createdMs: number;
}

export async function listUnacknowledged(on: Queryable, limit: number): Promise<UnacknowledgedEvent[]> {
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

/** Events already acknowledged keep their time. */
export async function acknowledge(on: Queryable, ids: readonly string[], nowMs: number): Promise<void> {
  await run(
    on,
    tables
      .updateTable('outbox')
      .set({ taken_at: new Date(nowMs) })
      .where('id', 'in', ids)
      .where('taken_at', 'is', null),
  );
}

export async function deleteUnacknowledged(on: Queryable, beforeMs: number): Promise<number> {
  const { rowCount } = await run(
    on,
    tables.deleteFrom('outbox').where('taken_at', 'is', null).where('created_at', '<', new Date(beforeMs)),
  );
  return rowCount ?? 0;
}
