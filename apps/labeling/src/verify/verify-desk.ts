import { deadlineExceeded, unavailable } from '@market-state/errors';
import { timeLimit } from '@market-state/lifecycle';
import type { StoredPacket } from '../packets/packet';
import type { Verification } from './verification';

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
