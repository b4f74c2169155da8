import { type Queryable, run } from '@market-state/postgres';
import { type Selectable, sql } from 'kysely';
import { withoutSecret } from '../endpoints/destination';
import { type DisabledReason, type Endpoint, type EndpointStatus, type Topic } from '../endpoints/endpoint';
import type { Endpoint as EndpointTable } from './generated/tables';
import { lockQueue } from './endpoint-queues';
import type { ListPage } from './list-page';
import { tables } from './tables';

export interface NewEndpoint
  extends Pick<
    Endpoint,
    | 'endpointId'
    | 'tenantId'
    | 'planId'
    | 'kind'
    | 'url'
    | 'chatId'
    | 'digestMinutes'
    | 'description'
    | 'eventKinds'
    | 'symbols'
    | 'createdMs'
  > {
  readonly operationId: string;
}

type EndpointRow = Selectable<EndpointTable>;

function toNumber(value: string | null): number | null {
  return value === null ? null : Number(value);
}

function fromRow(row: EndpointRow): Endpoint {
  return {
    endpointId: row.endpoint_id,
    tenantId: row.tenant_id,
    planId: row.plan_id,
    kind: row.kind,
    url: row.url,
    chatId: row.chat_id,
    digestMinutes: row.digest_minutes,
    confirmedMs: toNumber(row.confirmed_ms),
    description: row.description,
    eventKinds: row.event_kinds as readonly string[],
    symbols: row.symbols as readonly string[],
    status: row.status,
    disabledReason: row.disabled_reason as DisabledReason | '',
    urlRevision: row.url_revision,
    lastSuccessMs: toNumber(row.last_success_ms),
    failingSinceMs: toNumber(row.failing_since_ms),
    createdMs: Number(row.created_ms),
    updatedMs: Number(row.updated_ms),
  };
}

export async function insertEndpoint(on: Queryable, endpoint: NewEndpoint): Promise<void> {
  await run(
    on,
    tables.insertInto('endpoint').values({
      endpoint_id: endpoint.endpointId,
      tenant_id: endpoint.tenantId,
      plan_id: endpoint.planId,
      operation_id: endpoint.operationId,
      kind: endpoint.kind,
      url: endpoint.url,
      chat_id: endpoint.chatId,
      digest_minutes: endpoint.digestMinutes,
      description: endpoint.description,
      event_kinds: JSON.stringify(endpoint.eventKinds),
      symbols: JSON.stringify(endpoint.symbols),
      status: 'test_pending',
      disabled_reason: '',
      url_revision: 1,
      failed_messages: 0,
      created_ms: String(endpoint.createdMs),
      updated_ms: String(endpoint.createdMs),
    }),
  );
  await run(
    on,
    tables.insertInto('lane').values({
      endpoint_id: endpoint.endpointId,
      tenant_id: endpoint.tenantId,
      ring: 0,
      slow: false,
      breaker: '{}',
      breaker_until_ms: '0',
    }),
  );
}

export async function findEndpoint(on: Queryable, tenantId: string, endpointId: string): Promise<Endpoint | undefined> {
  const statement = tables.selectFrom('endpoint').selectAll().where('endpoint_id', '=', endpointId).where('tenant_id', '=', tenantId);
  const { rows } = await run<EndpointRow>(on, statement);
  return rows[0] === undefined ? undefined : fromRow(rows[0]);
}

/** The queue is locked first, as in workers. */
export async function lockEndpoint(on: Queryable, tenantId: string, endpointId: string): Promise<Endpoint | undefined> {
  await lockQueue(on, tenantId, endpointId);
  const statement = tables.selectFrom('endpoint').selectAll().where('endpoint_id', '=', endpointId).where('tenant_id', '=', tenantId);
  const { rows } = await run<EndpointRow>(on, statement.forUpdate());
  return rows[0] === undefined ? undefined : fromRow(rows[0]);
}

/** For links that name an endpoint without its tenant. */
export async function findTenantOfEndpoint(on: Queryable, endpointId: string): Promise<string | undefined> {
  const { rows } = await run(on, tables.selectFrom('endpoint').select('tenant_id').where('endpoint_id', '=', endpointId));
  return rows[0]?.tenant_id;
}

export async function findEndpointOfOperation(on: Queryable, tenantId: string, operationId: string): Promise<Endpoint | undefined> {
  const statement = tables.selectFrom('endpoint').selectAll().where('operation_id', '=', operationId);
  const { rows } = await run<EndpointRow>(on, statement.where('tenant_id', '=', tenantId));
  return rows[0] === undefined ? undefined : fromRow(rows[0]);
}

export async function listEndpoints(on: Queryable, tenantId: string, { after, limit }: ListPage): Promise<Endpoint[]> {
  let statement = tables.selectFrom('endpoint').selectAll().where('tenant_id', '=', tenantId);
  if (after !== undefined) statement = statement.where(sql<boolean>`(created_ms, endpoint_id) < (${after.atMs}, ${after.id})`);
  const { rows } = await run<EndpointRow>(on, statement.orderBy('created_ms', 'desc').orderBy('endpoint_id', 'desc').limit(limit));
  return rows.map(fromRow);
}

export async function countEndpoints(on: Queryable, tenantId: string): Promise<number> {
  const { rows } = await on.query<{ total: number }>('SELECT count(*)::int AS total FROM endpoint WHERE tenant_id = $1', [tenantId]);
  return rows[0]?.total ?? 0;
}

export interface EndpointChange
  extends Partial<Pick<Endpoint, 'url' | 'chatId' | 'digestMinutes' | 'description' | 'eventKinds' | 'symbols'>> {
  /** Resets the record of successes and failures, and the confirmation of an email. */
  readonly isMoved: boolean;
}

export async function changeEndpoint(on: Queryable, endpointId: string, change: EndpointChange, nowMs: number): Promise<void> {
  const { url, chatId, digestMinutes, description, eventKinds, symbols, isMoved } = change;
  await run(
    on,
    tables
      .updateTable('endpoint')
      .set({
        updated_ms: String(nowMs),
        ...(description === undefined ? {} : { description }),
        ...(eventKinds === undefined ? {} : { event_kinds: JSON.stringify(eventKinds) }),
        ...(symbols === undefined ? {} : { symbols: JSON.stringify(symbols) }),
        ...(url === undefined ? {} : { url }),
        ...(chatId === undefined ? {} : { chat_id: chatId }),
        ...(digestMinutes === undefined ? {} : { digest_minutes: digestMinutes }),
        ...(isMoved
          ? {
              url_revision: sql<number>`url_revision + 1`,
              last_success_ms: null,
              failing_since_ms: null,
              failed_messages: 0,
              confirmed_ms: null,
              confirmation: null,
            }
          : {}),
      })
      .where('endpoint_id', '=', endpointId),
  );
}

export async function setPlanOfTenant(on: Queryable, tenantId: string, planId: string): Promise<void> {
  await run(on, tables.updateTable('endpoint').set({ plan_id: planId }).where('tenant_id', '=', tenantId).where('plan_id', '<>', planId));
}

export async function setStatus(
  on: Queryable,
  endpointId: string,
  { status, disabledReason }: { readonly status: EndpointStatus; readonly disabledReason: DisabledReason | '' },
  nowMs: number,
): Promise<void> {
  await run(
    on,
    tables
      .updateTable('endpoint')
      .set({
        status,
        disabled_reason: disabledReason,
        updated_ms: String(nowMs),
        ...(status === 'test_pending' ? { failing_since_ms: null, failed_messages: 0 } : {}),
      })
      .where('endpoint_id', '=', endpointId),
  );
}

export async function removeEndpoint(on: Queryable, endpointId: string): Promise<void> {
  await run(on, tables.deleteFrom('endpoint').where('endpoint_id', '=', endpointId));
}

/** An earlier release stored more of some hooks' addresses. */
export async function maskStoredHooks(on: Queryable): Promise<void> {
  const { rows } = await on.query<{ url: string }>(`SELECT DISTINCT url FROM endpoint WHERE kind IN ('slack', 'discord')`);
  for (const { url } of rows) {
    const masked = withoutSecret(url);
    if (masked !== url) await on.query(`UPDATE endpoint SET url = $2 WHERE url = $1 AND kind IN ('slack', 'discord')`, [url, masked]);
  }
}

/** Serialises a tenant's creations, so that its limit holds. */
export async function lockTenantEndpoints(on: Queryable, tenantId: string): Promise<void> {
  await on.query(`SELECT pg_advisory_xact_lock(hashtextextended('endpoints ' || $1, 0))`, [tenantId]);
}

export async function writeTopics(
  on: Queryable,
  endpoint: Pick<Endpoint, 'endpointId' | 'tenantId'>,
  topics: readonly Topic[],
): Promise<void> {
  await run(on, tables.deleteFrom('endpoint_topic').where('endpoint_id', '=', endpoint.endpointId));
  await on.query(
    `INSERT INTO endpoint_topic (event_kind, symbol, tenant_id, endpoint_id)
     SELECT topic."eventKind", topic.symbol, $2, $3 FROM jsonb_to_recordset($1) AS topic ("eventKind" text, symbol text)`,
    [JSON.stringify(topics), endpoint.tenantId, endpoint.endpointId],
  );
}
