import type { webhook } from '@market-state/contracts';
import { notFound } from '@market-state/errors';
import { idFaults, optionalSpanFaults, refuseFaults } from '@market-state/request-checks';
import type { EndpointDeps } from '../../endpoints/endpoint-deps';
import { orderTask } from '../../endpoints/order-task';
import { findTask, type ShownTask } from '../../store/task-orders';

function showTask({ tenantId: _tenantId, finishedMs, ...task }: ShownTask): webhook.Task {
  return { ...task, status: finishedMs === null ? 'running' : 'done', finishedMs: finishedMs ?? 0 };
}

/** Sends again what failed in a span. */
export async function recover(
  deps: EndpointDeps,
  { tenantId, endpointId, sinceMs, untilMs }: webhook.RecoverRequest,
): Promise<webhook.RecoverResponse> {
  refuseFaults(
    idFaults('tenant_id', tenantId),
    idFaults('endpoint_id', endpointId),
    optionalSpanFaults(['since_ms', sinceMs], ['until_ms', untilMs]),
  );
  return { task: showTask(await orderTask(deps, { tenantId, endpointId, kind: 'recover', sinceMs, untilMs })) };
}

/** Sends what was never delivered to this endpoint. */
export async function replayMissing(
  deps: EndpointDeps,
  { tenantId, endpointId, sinceMs }: webhook.ReplayMissingRequest,
): Promise<webhook.ReplayMissingResponse> {
  refuseFaults(
    idFaults('tenant_id', tenantId),
    idFaults('endpoint_id', endpointId),
    optionalSpanFaults(['since_ms', sinceMs], ['until_ms', 0]),
  );
  return { task: showTask(await orderTask(deps, { tenantId, endpointId, kind: 'replay_missing', sinceMs, untilMs: 0 })) };
}

export async function getTask({ pool }: EndpointDeps, { tenantId, taskId }: webhook.GetTaskRequest): Promise<webhook.GetTaskResponse> {
  refuseFaults(idFaults('tenant_id', tenantId), idFaults('task_id', taskId));
  const task = await findTask(pool, tenantId, taskId);
  if (task === undefined) throw notFound('unknown_task', 'No such task.');
  return { task: showTask(task) };
}
