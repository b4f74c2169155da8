import { createHash } from 'node:crypto';
import { newId } from '@market-state/credentials';
import { failedPrecondition, type ServiceError, notFound, unavailable } from '@market-state/errors';
import { inTransaction, type Queryable } from '@market-state/postgres';
import type { Pool, PoolClient } from 'pg';
import {
  type CallTry,
  deleteForgottenCalls,
  deleteUnanswered,
  hasCall,
  isOwner,
  writeAnswer,
  type CallTimes,
  deleteCall,
  insertCall,
  lockCall,
  raiseFence,
  shareCall,
} from './store/idempotent-calls';

export const LEASE_MS = 60_000;

/** Retention of a call after its answer, or after its last owner's lease expired. */
export const KEPT_MS = 24 * 3_600_000;

interface StoredCall {
  readonly id: string;
  /** SHA-256 of path parameters, query and body. */
  readonly bodyDigest: Uint8Array;
  readonly fence: number;
  readonly leaseUntilMs: number;
  /** From this time the call is treated as absent. */
  readonly forgetAtMs: number;
  readonly isFinished: boolean;
}

type Decision = 'restart' | 'mismatch' | 'stored' | 'running' | 'take_over';

function decide(kept: StoredCall, bodyDigest: Uint8Array, nowMs: number): Decision {
  if (nowMs >= kept.forgetAtMs) return 'restart';
  if (Buffer.compare(kept.bodyDigest, bodyDigest) !== 0) return 'mismatch';
  if (kept.isFinished) return 'stored';
  return nowMs < kept.leaseUntilMs ? 'running' : 'take_over';
}

interface RequestedCall {
  readonly tenantId: string;
  readonly method: string;
  readonly route: string;
  readonly idempotencyKey: string;
  readonly bodyDigest: Uint8Array;
}

/** One try of an operation whose effect must happen once. */
export interface CallOperation {
  readonly id: string;
  /** Fencing token of the try; 0 if the id is not that of an idempotent call. */
  readonly fence: number;
}

/**
 * Locks the call, so that no other process takes it over; calls without Idempotency-Key are not checked. Lock it before
 * any other row, as `beginCall` does.
 * @throws ServiceError `fence_passed`
 */
export async function holdOperation(db: Queryable, tenantId: string, { id, fence }: CallOperation): Promise<void> {
  const call = await shareCall(db, tenantId, id);
  if (call !== null && (call.fence !== fence || call.isAnswered)) throw fencePassed();
}

export type BeginOutcome =
  | { readonly kind: 'started'; readonly operationId: string; readonly fence: number }
  | { readonly kind: 'stored'; readonly operationId: string; readonly sealedAnswer: Uint8Array }
  | { readonly kind: 'running' }
  | { readonly kind: 'mismatch' };

export interface BeginDeps extends EndDeps {
  readonly randomBytes: (size: number) => Uint8Array;
}

/** Retries if the stored call is abandoned while being read. */
const LOOKS_MAX = 5;

const FOREIGN_KEY_VIOLATION = '23503';

/**
 * Claims the key for the call; of concurrent calls only one proceeds.
 * @throws ServiceError `unknown_tenant`
 */
export async function beginCall(deps: BeginDeps, call: RequestedCall): Promise<BeginOutcome> {
  const keyDigest = createHash('sha256').update(call.idempotencyKey, 'utf8').digest();
  for (let look = 0; look < LOOKS_MAX; look += 1) {
    const outcome = await inTransaction(deps.pool, (client) => findOnce(client, deps, call, keyDigest));
    if (outcome !== null) return outcome;
  }
  throw unavailable('overloaded', 'Earlier attempts with this Idempotency-Key did not complete. Retry.');
}

async function findOnce(client: PoolClient, deps: BeginDeps, call: RequestedCall, keyDigest: Buffer): Promise<BeginOutcome | null> {
  const nowMs = deps.clock();
  const operationId = newId('op', deps.randomBytes);
  if (await insert(client, call, keyDigest, operationId, nowMs)) return { kind: 'started', operationId, fence: 1 };
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
      return { kind: 'started', operationId: stored.id, fence: stored.fence + 1 };
    }
    case 'restart': {
      await deleteCall(client, stored.id);
      await insert(client, call, keyDigest, operationId, nowMs);
      return { kind: 'started', operationId, fence: 1 };
    }
  }
}

function insert(client: PoolClient, call: RequestedCall, keyDigest: Buffer, operationId: string, nowMs: number): Promise<boolean> {
  const inserted = insertCall(client, operationId, { ...call, keyDigest }, call.bodyDigest, timesFrom(nowMs));
  return inserted.catch((error: Error & { code?: string }) => {
    throw error.code === FOREIGN_KEY_VIOLATION ? notFound('unknown_tenant', 'There is no such tenant.') : error;
  });
}

function timesFrom(nowMs: number): CallTimes {
  return { leaseUntilMs: nowMs + LEASE_MS, forgetAtMs: nowMs + LEASE_MS + KEPT_MS };
}

export interface EndDeps {
  readonly pool: Pool;
  readonly clock: () => number;
}

/** The same owner may repeat it. @throws ServiceError `fence_passed` */
export async function finishCall({ pool, clock }: EndDeps, own: CallTry, sealedAnswer: Uint8Array): Promise<void> {
  if (await writeAnswer(pool, own, sealedAnswer, clock() + KEPT_MS)) return;
  if (!(await isOwner(pool, own))) throw fencePassed();
}

/** Does nothing if the call is gone. @throws ServiceError `fence_passed` */
export async function abandonCall({ pool }: EndDeps, own: CallTry): Promise<void> {
  if (await deleteUnanswered(pool, own)) return;
  if (await hasCall(pool, own.tenantId, own.operationId)) throw fencePassed();
}

export function sweepCalls({ pool, clock }: EndDeps): Promise<number> {
  return deleteForgottenCalls(pool, clock());
}

function fencePassed(): ServiceError {
  return failedPrecondition('fence_passed', 'Another process has taken over this call, or it has ended.');
}
