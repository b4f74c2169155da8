/** Most tries of one call. */
export const TRIES_MAX = 3;

/** Allows extra tries of at most 10 % of the calls, beyond a reserve of 10 for the first failures. */
export interface RetryBudget {
  /** Counts a call that was made. */
  earn(): void;
  /** Takes one more try from the budget; false when it is used up. */
  spend(): boolean;
}

const RESERVE = 10;
const EARNED_PER_CALL = 0.1;

/** A budget that starts with its full reserve of 10 tries and earns a tenth of a try with each call. */
export function createRetryBudget(): RetryBudget {
  let tokens = RESERVE;
  return {
    earn() {
      tokens = Math.min(RESERVE, tokens + EARNED_PER_CALL);
    },
    spend() {
      if (tokens < 1) return false;
      tokens -= 1;
      return true;
    },
  };
}
