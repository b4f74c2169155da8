import { type Queryable, run } from '@market-state/postgres';
import { newId } from '../ids';
import type { TaskKind } from './generated/tables';
import { IS_BODY_KEPT, WITH_PAYLOAD } from './messages';
import { tables } from './tables';

interface TaskOrder {
  readonly taskId: string;
  readonly tenantId: string;
  readonly endpointId: string;
  readonly kind: TaskKind;
  readonly sinceMs: number;
  readonly untilMs: number;
  readonly createdMs: number;
}

export interface ShownTask extends TaskOrder {
  readonly found: number;
  readonly delivered: number;
  readonly failed: number;
  readonly finishedMs: number | null;
}

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

export interface OpenTask {
  readonly taskId: string;
  readonly tenantId: string;
  readonly endpointId: string;
  readonly kind: 'recover' | 'replay_missing';
  readonly sinceMs: number;
  readonly untilMs: number;
  readonly afterPosition: number;
  readonly isComplete: boolean;
}

const IS_OPEN = `finished_ms IS NULL AND NOT EXISTS (SELECT FROM delivery WHERE delivery.task_id = task.task_id AND due_ms IS NOT NULL)`;

/** Oldest first; skips tasks with pending deliveries. */
export async function listOpenTasks(on: Queryable, limit: number): Promise<OpenTask[]> {
  const { rows } = await on.query<OpenTask>(
    `SELECT task_id AS "taskId", tenant_id AS "tenantId", endpoint_id AS "endpointId", kind, since_ms::float8 AS "sinceMs",
       until_ms::float8 AS "untilMs", after_position::float8 AS "afterPosition", is_complete AS "isComplete"
     FROM task WHERE ${IS_OPEN} ORDER BY created_ms LIMIT $1`,
    [limit],
  );
  return rows;
}

interface Page {
  readonly found: number;
  readonly last: number | undefined;
}

/** Failed deliveries for `recover`, messages never delivered for `replay_missing`. */
export async function sendPage(on: Queryable, task: OpenTask, nowMs: number, limit: number): Promise<Page> {
  const { rows } = await on.query<{
    message_id: string;
    event_kind: string;
    position: string;
    status: string | null;
    is_subscribed: boolean;
  }>(
    `SELECT message.message_id, message.event_kind, message.position, delivery.status,
       EXISTS (SELECT FROM endpoint_topic AS topic WHERE topic.endpoint_id = $2 AND topic.event_kind = message.event_kind
         AND topic.symbol IN ('', message.symbol)) AS is_subscribed
     FROM message ${WITH_PAYLOAD} LEFT JOIN delivery ON delivery.message_id = message.message_id AND delivery.endpoint_id = $2
     WHERE message.tenant_id = $1 AND message.position > $3 AND message.created_ms BETWEEN $4 AND $5
       AND ${IS_BODY_KEPT}
       AND (message.event_kind NOT IN ('endpoint.disabled', 'message.exhausted') OR message.data ->> 'endpoint_id' <> $2)
     ORDER BY message.position LIMIT $6`,
    [task.tenantId, task.endpointId, task.afterPosition, task.sinceMs, task.untilMs, limit],
  );
  const failed = new Set(['exhausted', 'endpoint_disabled', 'not_paid']);
  const wanted = rows.filter(({ status, is_subscribed: isSubscribed, event_kind: kind }) =>
    task.kind === 'recover'
      ? status !== null && failed.has(status) && kind !== 'webhook.test'
      : status === null
        ? isSubscribed
        : failed.has(status),
  );
  await on.query(
    `INSERT INTO delivery (delivery_id, message_id, endpoint_id, tenant_id, event_kind, status, due_ms, schedule_step, attempts, credits,
       charged, task_id, created_ms, updated_ms)
     SELECT id, message, $3, $4, kind, 'waiting'::delivery_status, $6::bigint, 0, 0, (kind NOT IN ('webhook.test', 'endpoint.disabled', 'message.exhausted'))::int,
       false, $5, $6::bigint, $6::bigint
     FROM unnest($1::text[], $2::text[], $7::text[]) AS wanted (id, message, kind)
     ON CONFLICT (message_id, endpoint_id) DO UPDATE SET status = 'waiting', due_ms = excluded.due_ms, schedule_step = 0,
       held_since_ms = NULL, task_id = excluded.task_id, updated_ms = excluded.updated_ms WHERE delivery.due_ms IS NULL`,
    [
      wanted.map(() => newId('dlv')),
      wanted.map((row) => row.message_id),
      task.endpointId,
      task.tenantId,
      task.taskId,
      nowMs,
      wanted.map((row) => row.event_kind),
    ],
  );
  const last = rows.at(-1)?.position;
  return { found: wanted.length, last: rows.length < limit || last === undefined ? undefined : Number(last) };
}

export async function noteTask(on: Queryable, { taskId, afterPosition }: OpenTask, { found, last }: Page): Promise<void> {
  await on.query('UPDATE task SET found = found + $2, after_position = $3, is_complete = $4 WHERE task_id = $1', [
    taskId,
    found,
    last ?? afterPosition,
    last === undefined,
  ]);
}

export async function finishTask(on: Queryable, taskId: string, nowMs: number): Promise<void> {
  await on.query('UPDATE task SET finished_ms = $2 WHERE task_id = $1', [taskId, nowMs]);
}
