import { deadlineExceeded, unavailable } from '@market-state/errors';
import type { SignatureOutcome } from '@market-state/labeler';
import { timeLimit } from '@market-state/lifecycle';
import type { CheckpointHeader } from '../checkpoints/checkpoint';
import type { StoredPacket } from '../packets/packet';

export type CannotReason =
  /** Entries after the checkpoint have been deleted. */
  | 'rows_gone'
  /** Entries are missing in the middle of the retained ones. */
  | 'rows_incomplete'
  /** The entry that closed its window is not stored yet. */
  | 'rows_awaited'
  /** There is no earlier checkpoint, and the log does not reach back to its first entry. */
  | 'checkpoint_gone'
  | 'checkpoint_unusable'
  | 'other_policy';

export type Comparison =
  | { readonly outcome: 'match' }
  | {
      readonly outcome: 'mismatch';
      readonly rederived: { readonly digest: string; readonly lineageDigest: string } | null;
      readonly fields: readonly string[];
      readonly places: readonly string[];
      readonly placeTotal: number;
    }
  | { readonly outcome: 'cannot'; readonly reason: CannotReason };

export interface Verification {
  readonly comparison: Comparison;
  readonly retainedDigest: string;
  readonly policyDigest: string;
  readonly entryTotal: number;
  /** Null if recomputation started at the log's first entry, or never started. */
  readonly checkpoint: CheckpointHeader | null;
  readonly signature: SignatureOutcome;
  readonly contradictingOrdinals: readonly number[];
}

/** Concurrent verifications: each competes with labelling in this process. */
const RUNNING_MAX = 2;

const DEADLINE_MS = 20_000;

export type Verify = (packet: StoredPacket, signal: AbortSignal) => Promise<Verification>;

/**
 * Limits concurrency and duration of verifications.
 * @throws ServiceError UNAVAILABLE with reason `overloaded` above the limit, DEADLINE_EXCEEDED on timeout
 */
export function shareVerifications(verify: Verify): Verify {
  let running = 0;
  return async (packet, callSignal) => {
    if (running >= RUNNING_MAX) throw unavailable('overloaded', 'Too many packets are being verified; try again in a few seconds.');
    running += 1;
    const deadline = timeLimit(DEADLINE_MS);
    try {
      return await verify(packet, AbortSignal.any([callSignal, deadline]));
    } catch (error) {
      if (deadline.aborted)
        throw deadlineExceeded('deadline_exceeded', `The packet could not be recomputed within ${DEADLINE_MS / 1_000} s.`, {
          cause: error,
        });
      throw error;
    } finally {
      running -= 1;
    }
  };
}
