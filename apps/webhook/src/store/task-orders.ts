import { type Queryable, run } from '@market-state/postgres';
import type { TaskKind } from './generated/tables';
import { tables } from './tables';

/** Messages that are to be sent again. */
export interface TaskOrder {
  readonly taskId: string;
  readonly tenantId: string;
  readonly endpointId: string;
  readonly kind: TaskKind;
  readonly sinceMs: number;
  readonly untilMs: number;
  readonly createdMs: number;
}

/** How far it has come. */
export interface ShownTask extends TaskOrder {
  readonly found: number;
  readonly delivered: number;
  readonly failed: number;
  readonly finishedMs: number | null;
}

/** Writes a task, which a worker then takes up. */
export async function insertTask(on: Queryable, task: TaskOrder): Promise<void> {
  await run(
    on,
    tables.insertInto('task').values({
      task_id: task.taskId,
      tenant_id: task.tenantId,
      endpoint_id: task.endpointId,
      kind: task.kind,
      since_ms: String(task.sinceMs),
      until_ms: String(task.untilMs),
      after_position: '0',
      is_complete: false,
      found: 0,
      created_ms: String(task.createdMs),
    }),
  );
}

const FIND = `
  SELECT task_id AS "taskId", tenant_id AS "tenantId", endpoint_id AS "endpointId", kind, since_ms::float8 AS "sinceMs",
    until_ms::float8 AS "untilMs", created_ms::float8 AS "createdMs", finished_ms::float8 AS "finishedMs", found,
    (SELECT count(*)::int FROM delivery WHERE delivery.task_id = task.task_id AND status = 'delivered') AS delivered,
    (SELECT count(*)::int FROM delivery WHERE delivery.task_id = task.task_id
       AND status NOT IN ('delivered', 'waiting', 'held_no_credits')) AS failed
  FROM task WHERE task_id = $1 AND tenant_id = $2`;

export async function findTask(on: Queryable, tenantId: string, taskId: string): Promise<ShownTask | undefined> {
  const { rows } = await on.query<ShownTask>(FIND, [taskId, tenantId]);
  return rows[0];
}
