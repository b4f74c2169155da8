import { notFound, unavailable } from '@market-state/errors';
import { inTransaction } from '@market-state/postgres';
import { createHash } from 'node:crypto';
import type { Pool, PoolClient } from 'pg';
import { newId } from '../keys/id';
import { type CallTimes, deleteCall, insertCall, lockCall, raiseFence } from '../store/idempotent-calls';
import { decide } from './decide';
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
async function lookOnce(client: PoolClient, deps: BeginDeps, call: AskedCall, keyDigest: Buffer): Promise<BeginOutcome | null> {
  const nowMs = deps.clock();
  const operationId = newId('op', deps.randomBytes);
  if (await insert(client, call, keyDigest, operationId, nowMs)) return { kind: 'begun', operationId, fence: 1 };
  const stored = await lockCall(client, { ...call, keyDigest });
  if (stored === null) return null;
  const kept = { ...stored, isFinished: stored.sealedAnswer !== null };
  const decision = decide(kept, call.bodyDigest, nowMs);
  switch (decision) {
    case 'mismatch':
    case 'running':
      return { kind: decision };
    case 'stored':
      return { kind: 'stored', operationId: stored.id, sealedAnswer: stored.sealedAnswer ?? new Uint8Array() };
    case 'take_over': {
      await raiseFence(client, stored.id, timesFrom(nowMs));
      return { kind: 'begun', operationId: stored.id, fence: stored.fence + 1 };
    }
    case 'begin_anew': {
      await deleteCall(client, stored.id);
      await insert(client, call, keyDigest, operationId, nowMs);
      return { kind: 'begun', operationId, fence: 1 };
    }
  }
}

/** Whether there was none before. */
function insert(client: PoolClient, call: AskedCall, keyDigest: Buffer, operationId: string, nowMs: number): Promise<boolean> {
  const inserted = insertCall(client, operationId, { ...call, keyDigest }, call.bodyDigest, timesFrom(nowMs));
  return inserted.catch((error: Error & { code?: string }) => {
    throw error.code === FOREIGN_KEY_VIOLATION ? notFound('unknown_tenant', 'There is no such tenant.') : error;
  });
}

function timesFrom(nowMs: number): CallTimes {
  return { leaseUntilMs: nowMs + LEASE_MS, forgetAtMs: nowMs + LEASE_MS + KEPT_MS };
}
