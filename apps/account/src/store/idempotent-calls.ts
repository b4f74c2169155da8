import { type Queryable, run } from '@market-state/postgres';
import { tables } from './tables';

interface CallKey {
  readonly tenantId: string;
  readonly method: string;
  readonly route: string;
  /** SHA-256 of the Idempotency-Key. */
  readonly keyDigest: Buffer;
}

export interface CallTimes {
  readonly leaseUntilMs: number;
  readonly forgetAtMs: number;
}

export interface CallTry {
  readonly tenantId: string;
  readonly operationId: string;
  readonly fence: number;
}

interface StoredCall extends CallTimes {
  readonly id: string;
  readonly bodyDigest: Buffer;
  readonly fence: number;
  readonly sealedAnswer: Buffer | null;
}

/** @returns false if a call with the same key exists */
export async function insertCall(
  on: Queryable,
  operationId: string,
  { tenantId, method, route, keyDigest }: CallKey,
  bodyDigest: Uint8Array,
  { leaseUntilMs, forgetAtMs }: CallTimes,
): Promise<boolean> {
  const { rowCount } = await run(
    on,
    tables
      .insertInto('idempotent_call')
      .values({
        id: operationId,
        tenant_id: tenantId,
        method,
        route,
        key_digest: keyDigest,
        body_digest: Buffer.from(bodyDigest),
        fence: 1,
        lease_until: new Date(leaseUntilMs),
        forget_at: new Date(forgetAtMs),
      })
      .onConflict((conflict) => conflict.columns(['tenant_id', 'method', 'route', 'key_digest']).doNothing()),
  );
  return rowCount === 1;
}

export async function lockCall(on: Queryable, { tenantId, method, route, keyDigest }: CallKey): Promise<StoredCall | null> {
  const { rows } = await run(
    on,
    tables
      .selectFrom('idempotent_call')
      .select(['id', 'body_digest', 'fence', 'lease_until', 'forget_at', 'sealed_answer'])
      .where('tenant_id', '=', tenantId)
      .where('method', '=', method)
      .where('route', '=', route)
      .where('key_digest', '=', keyDigest)
      .forUpdate(),
  );
  const [row] = rows;
  if (row === undefined) return null;
  return {
    id: row.id,
    bodyDigest: row.body_digest,
    fence: row.fence,
    leaseUntilMs: row.lease_until.getTime(),
    forgetAtMs: row.forget_at.getTime(),
    sealedAnswer: row.sealed_answer,
  };
}

export async function shareCall(
  on: Queryable,
  tenantId: string,
  operationId: string,
): Promise<{ readonly fence: number; readonly isAnswered: boolean } | null> {
  const { rows } = await run(
    on,
    tables
      .selectFrom('idempotent_call')
      .select((select) => ['fence', select('sealed_answer', 'is not', null).as('answered')])
      .where('id', '=', operationId)
      .where('tenant_id', '=', tenantId)
      .forShare(),
  );
  const [row] = rows;
  return row === undefined ? null : { fence: row.fence, isAnswered: row.answered === true };
}

export async function raiseFence(on: Queryable, operationId: string, { leaseUntilMs, forgetAtMs }: CallTimes): Promise<void> {
  await run(
    on,
    tables
      .updateTable('idempotent_call')
      .set((update) => ({ fence: update('fence', '+', 1), lease_until: new Date(leaseUntilMs), forget_at: new Date(forgetAtMs) }))
      .where('id', '=', operationId),
  );
}

/** @returns false if the call is answered, gone or has another owner */
export async function writeAnswer(
  on: Queryable,
  { tenantId, operationId, fence }: CallTry,
  sealedAnswer: Uint8Array,
  forgetAtMs: number,
): Promise<boolean> {
  const { rowCount } = await run(
    on,
    tables
      .updateTable('idempotent_call')
      .set({ sealed_answer: Buffer.from(sealedAnswer), forget_at: new Date(forgetAtMs) })
      .where('id', '=', operationId)
      .where('tenant_id', '=', tenantId)
      .where('fence', '=', fence)
      .where('sealed_answer', 'is', null),
  );
  return rowCount === 1;
}

export async function isOwner(on: Queryable, { tenantId, operationId, fence }: CallTry): Promise<boolean> {
  const { rows } = await run(
    on,
    tables
      .selectFrom('idempotent_call')
      .select('id')
      .where('id', '=', operationId)
      .where('tenant_id', '=', tenantId)
      .where('fence', '=', fence),
  );
  return rows.length > 0;
}

export async function hasCall(on: Queryable, tenantId: string, operationId: string): Promise<boolean> {
  const { rows } = await run(
    on,
    tables.selectFrom('idempotent_call').select('id').where('id', '=', operationId).where('tenant_id', '=', tenantId),
  );
  return rows.length > 0;
}

export async function deleteCall(on: Queryable, operationId: string): Promise<void> {
  await run(on, tables.deleteFrom('idempotent_call').where('id', '=', operationId));
}

/** @returns false if the call is answered, gone or has another owner */
export async function deleteUnanswered(on: Queryable, { tenantId, operationId, fence }: CallTry): Promise<boolean> {
  const { rowCount } = await run(
    on,
    tables
      .deleteFrom('idempotent_call')
      .where('id', '=', operationId)
      .where('tenant_id', '=', tenantId)
      .where('fence', '=', fence)
      .where('sealed_answer', 'is', null),
  );
  return rowCount === 1;
}

export async function deleteForgottenCalls(on: Queryable, nowMs: number): Promise<number> {
  const { rowCount } = await run(on, tables.deleteFrom('idempotent_call').where('forget_at', '<=', new Date(nowMs)));
  return rowCount ?? 0;
}
