import { randomBytes } from 'node:crypto';
import { newId } from '@market-state/credentials';
import { type Queryable, run } from '@market-state/postgres';
import { finishedEvent, type Job } from '../jobs/job';
import { tables } from './tables';

/** In the transaction of the change. Idempotent. */
export async function reportFinished(on: Queryable, job: Job, nowMs: number): Promise<void> {
  await run(
    on,
    tables
      .insertInto('outbox')
      .values({
        id: newId('out', randomBytes),
        tenant_id: job.tenantId,
        kind: 'export.finished',
        occasion: `export.finished ${job.jobId}`,
        payload: JSON.stringify(finishedEvent(job)),
        created_ms: String(nowMs),
      })
      .onConflict((conflict) => conflict.columns(['tenant_id', 'occasion']).doNothing()),
  );
}

export interface UnacknowledgedEvent {
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
      .select(['id', 'tenant_id', 'kind', 'occasion', 'payload', 'created_ms'])
      .where('taken_ms', 'is', null)
      .orderBy('created_ms')
      .orderBy('id')
      .limit(limit),
  );
  return rows.map(({ id, kind, occasion, payload, ...row }) => ({
    id,
    tenantId: row.tenant_id,
    kind,
    occasion,
    payload,
    createdMs: Number(row.created_ms),
  }));
}

/** Those already acknowledged keep their time. */
export async function acknowledge(on: Queryable, ids: readonly string[], nowMs: number): Promise<void> {
  await run(
    on,
    tables
      .updateTable('outbox')
      .set({ taken_ms: String(nowMs) })
      .where('id', 'in', ids)
      .where('taken_ms', 'is', null),
  );
}

export async function deleteAcknowledged(on: Queryable, beforeMs: number): Promise<void> {
  await run(on, tables.deleteFrom('outbox').where('taken_ms', '<', String(beforeMs)));
}

export async function deleteUnacknowledged(on: Queryable, beforeMs: number): Promise<number> {
  const { rowCount } = await run(on, tables.deleteFrom('outbox').where('taken_ms', 'is', null).where('created_ms', '<', String(beforeMs)));
  return rowCount ?? 0;
}
