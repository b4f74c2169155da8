import { type Queryable, run } from '@market-state/postgres';
import { newId } from '../ids';
import { finishedEvent, type Job } from '../jobs/job';
import { tables } from './tables';

/** Tells others, in the transaction of the change, that a job has ended; told again it changes nothing. */
export async function tellFinished(on: Queryable, job: Job, nowMs: number): Promise<void> {
  await run(
    on,
    tables
      .insertInto('outbox')
      .values({
        id: newId('out'),
        tenant_id: job.tenantId,
        kind: 'export.finished',
        occasion: `export.finished ${job.jobId}`,
        payload: JSON.stringify(finishedEvent(job)),
        created_ms: String(nowMs),
      })
      .onConflict((conflict) => conflict.columns(['tenant_id', 'occasion']).doNothing()),
  );
}

/** An event that nobody has taken yet. */
export interface UntakenEvent {
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

/** Marks events as taken; those that are keep their time. */
export async function markTaken(on: Queryable, ids: readonly string[], nowMs: number): Promise<void> {
  await run(
    on,
    tables
      .updateTable('outbox')
      .set({ taken_ms: String(nowMs) })
      .where('id', 'in', ids)
      .where('taken_ms', 'is', null),
  );
}

/** Deletes events that were taken before an instant. */
export async function forgetTaken(on: Queryable, beforeMs: number): Promise<void> {
  await run(on, tables.deleteFrom('outbox').where('taken_ms', '<', String(beforeMs)));
}

/** Deletes events from before an instant that nobody has taken. @returns how many */
export async function forgetUntaken(on: Queryable, beforeMs: number): Promise<number> {
  const { rowCount } = await run(on, tables.deleteFrom('outbox').where('taken_ms', 'is', null).where('created_ms', '<', String(beforeMs)));
  return rowCount ?? 0;
}
