import { deadlineExceeded, unavailable } from '@market-state/errors';
import type { SignatureOutcome } from '@market-state/labeler';
import { timeLimit } from '@market-state/lifecycle';
import type { CheckpointHeader } from '../checkpoints/checkpoint';
import type { StoredPacket } from '../packets/packet';

/** Why a packet could not be made again. */
export type CannotReason =
  /** Entries after the checkpoint are no longer kept. */
  | 'rows_gone'
  /** Entries are missing in the middle of what is kept. */
  | 'rows_incomplete'
  /** The entry that closed its window is not stored yet. */
  | 'rows_awaited'
  /** No checkpoint before it is kept, and the log does not go back to its first entry. */
  | 'checkpoint_gone'
  /** The checkpoint is damaged, or of another form. */
  | 'checkpoint_unusable'
  /** It was made under another policy than the one in force. */
  | 'other_policy';

/** How a packet made again compares with the one retained. */
export type Comparison =
  | { readonly outcome: 'match' }
  | {
      readonly outcome: 'mismatch';
      /** Null where the log gives no packet for the window. */
      readonly rederived: { readonly digest: string; readonly lineageDigest: string } | null;
      /** Fields of the row that differ, digests first. */
      readonly fields: readonly string[];
      /** JSON pointers of the first places where the bodies differ, and how many there are. */
      readonly places: readonly string[];
      readonly placeTotal: number;
    }
  | { readonly outcome: 'cannot'; readonly reason: CannotReason };

export interface Verification {
  readonly comparison: Comparison;
  /** SHA-256 of the body that is kept. */
  readonly retainedDigest: string;
  readonly policyDigest: string;
  readonly entryTotal: number;
  /** Null: the log's first entry, or it never began. */
  readonly checkpoint: CheckpointHeader | null;
  readonly signature: SignatureOutcome;
  /** Entries among those read whose stored columns are not what the entry says. */
  readonly contradictingOrdinals: readonly number[];
}

/** Verifications at once: each takes its turns with the labelling of this process. */
const RUNNING_MAX = 2;

/** Of one verification, milliseconds. */
const DEADLINE_MS = 20_000;

export type Verify = (packet: StoredPacket, signal: AbortSignal) => Promise<Verification>;

/**
 * Lets few verifications run at once, each for a limited time.
 * @throws ServiceError UNAVAILABLE with reason `overloaded` beyond them, DEADLINE_EXCEEDED when the time is up
 */
export function createVerifyDesk(verify: Verify): Verify {
  let running = 0;
  return async (packet, callSignal) => {
    if (running >= RUNNING_MAX) throw unavailable('overloaded', 'Too many packets are being verified at once; try again in a few seconds.');
    running += 1;
    const deadline = timeLimit(DEADLINE_MS);
    try {
      return await verify(packet, AbortSignal.any([callSignal, deadline]));
    } catch (error) {
      if (deadline.aborted)
        throw deadlineExceeded('deadline_exceeded', `The packet could not be made again within ${DEADLINE_MS / 1_000} s.`, {
          cause: error,
        });
      throw error;
    } finally {
      running -= 1;
    }
  };
}
