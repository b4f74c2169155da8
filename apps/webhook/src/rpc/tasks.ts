import type { webhook } from '@market-state/contracts';
import { notFound } from '@market-state/errors';
import { inTransaction } from '@market-state/postgres';
import { idFaults, optionalSpanFaults, refuseFaults } from '@market-state/request-checks';
import type { EndpointDeps } from '../endpoints/endpoint';
import { refuseBeyondRetention, refuseUnlessLive, requireLocked } from '../endpoints/require-endpoint';
import { idOfOperation } from '../ids';
import { findTask, insertTask, type ShownTask } from '../store/tasks';
import type { TaskKind } from '../store/generated/tables';
import { futureFaults, operationFaults } from './request-faults';

/** Resends failed deliveries of a period. */
export async function recover(
  deps: EndpointDeps,
  { tenantId, endpointId, sinceMs, untilMs, operationId }: webhook.RecoverRequest,
): Promise<webhook.RecoverResponse> {
  refuseFaults(
    idFaults('tenant_id', tenantId),
    idFaults('endpoint_id', endpointId),
    optionalSpanFaults(['since_ms', sinceMs], ['until_ms', untilMs]),
    futureFaults('since_ms', sinceMs, deps.clock()),
    operationFaults(operationId),
  );
  return { task: showTask(await orderTask(deps, { tenantId, endpointId, kind: 'recover', sinceMs, untilMs, operationId })) };
}

/** Sends messages never delivered to this endpoint. */
export async function replayMissing(
  deps: EndpointDeps,
  { tenantId, endpointId, sinceMs, operationId }: webhook.ReplayMissingRequest,
): Promise<webhook.ReplayMissingResponse> {
  refuseFaults(
    idFaults('tenant_id', tenantId),
    idFaults('endpoint_id', endpointId),
    optionalSpanFaults(['since_ms', sinceMs], ['until_ms', 0]),
    futureFaults('since_ms', sinceMs, deps.clock()),
    operationFaults(operationId),
  );
  return { task: showTask(await orderTask(deps, { tenantId, endpointId, kind: 'replay_missing', sinceMs, untilMs: 0, operationId })) };
}

export async function getTask({ pool }: EndpointDeps, { tenantId, taskId }: webhook.GetTaskRequest): Promise<webhook.GetTaskResponse> {
  refuseFaults(idFaults('tenant_id', tenantId), idFaults('task_id', taskId));
  const task = await findTask(pool, tenantId, taskId);
  if (task === undefined) throw notFound('unknown_task', 'No such task.');
  return { task: showTask(task) };
}

function showTask({ tenantId: _tenantId, finishedMs, ...task }: ShownTask): webhook.Task {
  return { ...task, status: finishedMs === null ? 'running' : 'done', finishedMs: finishedMs ?? 0 };
}

interface TaskRequest {
  readonly tenantId: string;
  readonly endpointId: string;
  readonly kind: TaskKind;
  readonly sinceMs: number;
  readonly untilMs: number;
  readonly operationId: string | undefined;
}

/** Once per operation. */
async function orderTask({ pool, clock }: EndpointDeps, request: TaskRequest): Promise<ShownTask> {
  const nowMs = clock();
  const { tenantId, endpointId, kind, sinceMs, untilMs, operationId } = request;
  return inTransaction(pool, async (client) => {
    const endpoint = await requireLocked(client, tenantId, endpointId);
    const taskId = idOfOperation('tsk', `${tenantId} ${kind}`, operationId);
    const known = operationId === undefined ? undefined : await findTask(client, tenantId, taskId);
    if (known !== undefined) return known;
    refuseUnlessLive(endpoint);
    refuseBeyondRetention(sinceMs, nowMs);
    const until = untilMs === 0 ? nowMs : Math.min(untilMs, nowMs);
    const task = { taskId, tenantId, endpointId, kind, sinceMs, untilMs: until, createdMs: nowMs };
    await insertTask(client, task);
    return { ...task, found: 0, delivered: 0, failed: 0, finishedMs: null };
  });
}
