import { createHash } from 'node:crypto';
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
} from '../store/idempotent-calls';
import { newId } from '../keys/key';

/** Time for which the owner of a call is believed to be at work without a word from it. */
export const LEASE_MS = 60_000;

/** Time for which a call is kept after its answer, or after the end of its last owner's lease. */
export const KEPT_MS = 24 * 3_600_000;

/** A call that carried an Idempotency-Key, as it is kept. */
interface KeptCall {
  /** The operation id of the call, on every try. */
  readonly id: string;
  /** SHA-256 of what tells the call from others of its route: path parameters, query, body. */
  readonly bodyDigest: Uint8Array;
  /** Rises by 1 with every owner. */
  readonly fence: number;
  /** Until when its owner is believed to be at work, milliseconds since the epoch. */
  readonly leaseUntilMs: number;
  /** From when on it is as if it had never been, milliseconds since the epoch. */
  readonly forgetAtMs: number;
  readonly isFinished: boolean;
}

/** What a call that comes with the key of a kept one is told, or does. */
type Decision = 'begin_anew' | 'mismatch' | 'stored' | 'running' | 'take_over';

/** Decides by the kept call, the digest of the new call and the time. */
function decide(kept: KeptCall, bodyDigest: Uint8Array, nowMs: number): Decision {
  if (nowMs >= kept.forgetAtMs) return 'begin_anew';
  if (Buffer.compare(kept.bodyDigest, bodyDigest) !== 0) return 'mismatch';
  if (kept.isFinished) return 'stored';
  return nowMs < kept.leaseUntilMs ? 'running' : 'take_over';
}

/** A call that carries an Idempotency-Key. */
interface AskedCall {
  readonly tenantId: string;
  readonly method: string;
  /** Path of the route as documented. */
  readonly route: string;
  readonly idempotencyKey: string;
  /** SHA-256 of what tells the call from others of its route: path parameters, query, body. */
  readonly bodyDigest: Uint8Array;
}

/** A try of a call whose effect is to come about once. */
export interface CallOperation {
  /** The same on every try. */
  readonly id: string;
  /** Of the try, where the id is one of a call with an Idempotency-Key; else 0. */
  readonly fence: number;
}

/**
 * Keeps others from taking the call over until the transaction ends, in which its effect is written. An operation that is no call with an
 * Idempotency-Key belongs to whoever names it. Before any other row is held: beginning a call holds the call first, too.
 * @throws ServiceError FAILED_PRECONDITION with reason `fence_passed` when another has taken it over, or it was answered
 */
export async function holdOperation(db: Queryable, tenantId: string, { id, fence }: CallOperation): Promise<void> {
  const call = await shareCall(db, tenantId, id);
  if (call !== null && (call.fence !== fence || call.isAnswered)) throw fencePassed();
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

export interface EndDeps {
  readonly pool: Pool;
  readonly clock: () => number;
}

/** Stores the answer, once: the same owner may send it again. @throws ServiceError FAILED_PRECONDITION with reason `fence_passed` */
export async function finishCall({ pool, clock }: EndDeps, own: CallTry, sealedAnswer: Uint8Array): Promise<void> {
  if (await writeAnswer(pool, own, sealedAnswer, clock() + KEPT_MS)) return;
  if (!(await isOwner(pool, own))) throw fencePassed();
}

/**
 * Frees the key; of a call that is not there any more nothing is left to free. @throws ServiceError FAILED_PRECONDITION with reason
 * `fence_passed`
 */
export async function abandonCall({ pool }: EndDeps, own: CallTry): Promise<void> {
  if (await deleteUnanswered(pool, own)) return;
  if (await hasCall(pool, own.tenantId, own.operationId)) throw fencePassed();
}

/** Removes calls whose time is over. @returns how many */
export function sweepCalls({ pool, clock }: EndDeps): Promise<number> {
  return deleteForgottenCalls(pool, clock());
}

function fencePassed(): ServiceError {
  return failedPrecondition('fence_passed', 'Another process has taken this call over, or it has ended.');
}
