import { type Queryable, run } from '@market-state/postgres';
import { sql } from 'kysely';
import { tables } from './tables';

/** One more attempt of a message at an endpoint. */
export interface Resending {
  /** Where the message has no delivery to the endpoint yet. */
  readonly deliveryId: string;
  readonly messageId: string;
  readonly endpointId: string;
  readonly tenantId: string;
  readonly eventKind: string;
  /** What a first delivery costs, 0 or 1. */
  readonly credits: number;
}

/** Makes a delivery due now, whatever became of it; one that is being sent at this moment stays as it is. */
export async function sendAgain(on: Queryable, resending: Resending, nowMs: number): Promise<void> {
  const now = String(nowMs);
  await run(
    on,
    tables
      .insertInto('delivery')
      .values({
        delivery_id: resending.deliveryId,
        message_id: resending.messageId,
        endpoint_id: resending.endpointId,
        tenant_id: resending.tenantId,
        event_kind: resending.eventKind,
        status: 'waiting',
        due_ms: now,
        schedule_step: 0,
        attempts: 0,
        credits: resending.credits,
        charged: resending.credits === 0,
        created_ms: now,
        updated_ms: now,
      })
      .onConflict((conflict) =>
        conflict
          .columns(['message_id', 'endpoint_id'])
          .doUpdateSet({ status: 'waiting', due_ms: now, schedule_step: 0, held_since_ms: null, task_id: null, updated_ms: now })
          .where(sql<boolean>`delivery.claimed_by IS NULL`),
      ),
  );
}
