import type { LabelledPacket } from '../packets/packet';

/** Making a packet again takes the log since the checkpoint before it: seconds from an hour, a fraction of one from a quarter. */
const QUARTER_HOUR_MS = 900_000;

/** Says after which log entries a checkpoint is due. */
export interface CheckpointRule {
  /** Whether one is due after the entry that closed these windows, oldest first. */
  isDue(closed: readonly Pick<LabelledPacket, 'windowEndMs'>[]): boolean;
}

/**
 * Due when an entry closes a window at a whole quarter of an hour of exchange time. A chain that takes over after the window
 * `silentUntilMs` (0: one that goes on) has one at its first packet too: what was logged before led to other packets.
 */
export function createCheckpointRule(silentUntilMs: number): CheckpointRule {
  let isFirst = silentUntilMs > 0;
  return {
    isDue(closed) {
      const newest = closed.at(-1);
      if (newest === undefined || newest.windowEndMs <= silentUntilMs) return false;
      const due = isFirst || closed.some(({ windowEndMs }) => windowEndMs % QUARTER_HOUR_MS === 0);
      isFirst = false;
      return due;
    },
  };
}
