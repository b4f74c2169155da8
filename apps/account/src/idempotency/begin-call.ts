import { notFound, unavailable } from '@market-state/errors';
import { inTransaction } from '@market-state/postgres';
import { createHash } from 'node:crypto';
import type { Pool, PoolClient } from 'pg';
import { newId } from '../keys/id';
import { decide, type KeptCall } from './decide';
import { KEPT_MS, LEASE_MS } from './times';

/** A call that carries an Idempotency-Key. */
export interface AskedCall {
  readonly tenantId: string;
  readonly method: string;
  /** Path of the route as documented. */
  readonly route: string;
  readonly idempotencyKey: string;
  /** SHA-256 of what tells the call from others of its route: path parameters, query, body. */
  readonly bodyDigest: Uint8Array;
}

/** What comes of it. */
export type BeginOutcome =
  | { readonly kind: 'begun'; readonly operationId: string; readonly fence: number }
  | { readonly kind: 'stored'; readonly operationId: string; readonly sealedAnswer: Uint8Array }
  | { readonly kind: 'running' }
  | { readonly kind: 'mismatch' };

/** What beginning a call needs. */
export interface BeginDeps {
  readonly pool: Pool;
  readonly clock: () => number;
  readonly randomBytes: (size: number) => Uint8Array;
}

/** A call that came as the kept one was given up looks again; so often at most. */
const LOOKS_MAX = 5;

const FOREIGN_KEY_VIOLATION = '23503';

/**
 * Claims the key for the call: of any number that come at once, one begins.
 * @throws ServiceError NOT_FOUND with reason `unknown_tenant`
 */
export async function beginCall(deps: BeginDeps, call: AskedCall): Promise<BeginOutcome> {
  const keyDigest = createHash('sha256').update(call.idempotencyKey, 'utf8').digest();
  for (let look = 0; look < LOOKS_MAX; look += 1) {
    const outcome = await inTransaction(deps.pool, (client) => lookOnce(client, deps, call, keyDigest));
    if (outcome !== null) return outcome;
  }
  throw unavailable('overloaded', 'Calls with this Idempotency-Key keep ending before they are done; try again.');
}

/** Null when the kept call vanished between the two looks at it. */
async function lookOnce(client: PoolClient, deps: BeginDeps, call: AskedCall, keyDigest: Uint8Array): Promise<BeginOutcome | null> {
  const nowMs = deps.clock();
  const operationId = newId('op', deps.randomBytes);
  if (await insert(client, call, keyDigest, operationId, nowMs)) return { kind: 'begun', operationId, fence: 1 };
  const { rows } = await client.query<CallRow>(
    `SELECT id, body_digest, fence, lease_until, forget_at, sealed_answer FROM idempotent_call
     WHERE tenant_id = $1 AND method = $2 AND route = $3 AND key_digest = $4 FOR UPDATE`,
    [call.tenantId, call.method, call.route, keyDigest],
  );
  const row = rows[0];
  if (row === undefined) return null;
  const decision = decide(fromRow(row), call.bodyDigest, nowMs);
  switch (decision) {
    case 'mismatch':
    case 'running':
      return { kind: decision };
    case 'stored':
      return { kind: 'stored', operationId: row.id, sealedAnswer: row.sealed_answer ?? new Uint8Array() };
    case 'take_over': {
      await client.query('UPDATE idempotent_call SET fence = fence + 1, lease_until = $2, forget_at = $3 WHERE id = $1', [
        row.id,
        ...until(nowMs),
      ]);
      return { kind: 'begun', operationId: row.id, fence: row.fence + 1 };
    }
    case 'begin_anew': {
      await client.query('DELETE FROM idempotent_call WHERE id = $1', [row.id]);
      await insert(client, call, keyDigest, operationId, nowMs);
      return { kind: 'begun', operationId, fence: 1 };
    }
  }
}

/** Whether there was none before. */
async function insert(client: PoolClient, call: AskedCall, keyDigest: Uint8Array, operationId: string, nowMs: number): Promise<boolean> {
  const inserted = client.query(
    `INSERT INTO idempotent_call (id, tenant_id, method, route, key_digest, body_digest, fence, lease_until, forget_at)
     VALUES ($1, $2, $3, $4, $5, $6, 1, $7, $8) ON CONFLICT (tenant_id, method, route, key_digest) DO NOTHING`,
    [operationId, call.tenantId, call.method, call.route, keyDigest, call.bodyDigest, ...until(nowMs)],
  );
  const { rowCount } = await inserted.catch((error: Error & { code?: string }) => {
    throw error.code === FOREIGN_KEY_VIOLATION ? notFound('unknown_tenant', 'There is no such tenant.') : error;
  });
  return rowCount === 1;
}

function until(nowMs: number): [Date, Date] {
  return [new Date(nowMs + LEASE_MS), new Date(nowMs + LEASE_MS + KEPT_MS)];
}

interface CallRow {
  readonly id: string;
  readonly body_digest: Buffer;
  readonly fence: number;
  readonly lease_until: Date;
  readonly forget_at: Date;
  readonly sealed_answer: Buffer | null;
}

function fromRow(row: CallRow): KeptCall {
  return {
    id: row.id,
    bodyDigest: row.body_digest,
    fence: row.fence,
    leaseUntilMs: row.lease_until.getTime(),
    forgetAtMs: row.forget_at.getTime(),
    isFinished: row.sealed_answer !== null,
  };
}
