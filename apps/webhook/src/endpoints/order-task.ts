import { inTransaction } from '@market-state/postgres';
import { newId } from '../ids';
import type { TaskKind } from '../store/generated/tables';
import { insertTask, type ShownTask } from '../store/task-orders';
import type { EndpointDeps } from './endpoint-deps';
import { refuseUnlessLive, requireLocked } from './require-endpoint';
import { refuseBeyondRetention } from './retention';

/** What is to be sent again: messages that were made in a span, milliseconds since the epoch. */
export interface TaskRequest {
  readonly tenantId: string;
  readonly endpointId: string;
  readonly kind: TaskKind;
  readonly sinceMs: number;
  /** 0: now. */
  readonly untilMs: number;
}

/**
 * Writes a task, which workers then work on.
 * @throws ServiceError FAILED_PRECONDITION `endpoint_not_live` or `beyond_retention`
 */
export async function orderTask({ pool, clock }: EndpointDeps, request: TaskRequest): Promise<ShownTask> {
  const nowMs = clock();
  const { tenantId, endpointId, kind, sinceMs, untilMs } = request;
  return inTransaction(pool, async (client) => {
    refuseUnlessLive(await requireLocked(client, tenantId, endpointId));
    refuseBeyondRetention(sinceMs, nowMs);
    const until = untilMs === 0 ? nowMs : Math.min(untilMs, nowMs);
    const task = { taskId: newId('tsk'), tenantId, endpointId, kind, sinceMs, untilMs: until, createdMs: nowMs };
    await insertTask(client, task);
    return { ...task, found: 0, delivered: 0, failed: 0, finishedMs: null };
  });
}
