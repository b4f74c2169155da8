/** Time for which the owner of a call is believed to be at work without a word from it. */
export const LEASE_MS = 60_000;

/** Time for which a call is kept after its answer, or after the end of its last owner's lease. */
export const KEPT_MS = 24 * 3_600_000;
