import { type AccountLimits, allowedAtMs } from './limits';

/** Times of earlier attempts, oldest first, each list as far back as its limit needs. */
export interface LoginHistory {
  /** Failures of this account from this address. */
  readonly pair: readonly number[];
  /** Milliseconds until the limits of the address allow an attempt; 0 for now. */
  readonly addressWaitMs: number;
  /** Failures of this account. */
  readonly account: readonly number[];
  /** Attempts that did not wait for the account's delay. */
  readonly fresh: readonly number[];
  /** Whether this account was logged in to from this address before. */
  readonly isKnownAddress: boolean;
}

export type LoginDecision =
  | { readonly type: 'allowed' /** It is one of those that need not wait. */; readonly asFresh: boolean }
  | { readonly type: 'refused'; readonly retryAfterMs: number };

/**
 * Whether a login may be tried now. Each address has its own limits. An account that fails too often from everywhere lets one attempt
 * through after each delay; beside these it lets in attempts from addresses that its owner used before, and a bounded number from addresses
 * that have not failed on it, so that an attack locks nobody out and still gets few guesses.
 */
export function decideLogin(history: LoginHistory, limits: AccountLimits, nowMs: number): LoginDecision {
  const addressAtMs = Math.max(allowedAtMs(history.pair, limits.loginPair, nowMs), nowMs + history.addressWaitMs);
  if (addressAtMs > nowMs) return refused(addressAtMs, nowMs);
  const accountAtMs = accountAllowedAtMs(history.account, limits, nowMs);
  if (accountAtMs <= nowMs || history.isKnownAddress) return { type: 'allowed', asFresh: false };
  const hasFailed = history.pair.some((stamp) => stamp > nowMs - limits.loginPair.windowMs);
  if (!hasFailed && allowedAtMs(history.fresh, limits.loginFresh, nowMs) <= nowMs) return { type: 'allowed', asFresh: true };
  return refused(accountAtMs, nowMs);
}

function accountAllowedAtMs(failures: readonly number[], { loginAccount, loginDelay }: AccountLimits, nowMs: number): number {
  const recent = failures.filter((stamp) => stamp > nowMs - loginAccount.windowMs);
  const over = recent.length - loginAccount.max;
  if (over < 0) return nowMs;
  return (recent.at(-1) ?? nowMs) + Math.min(loginDelay.longestMs, loginDelay.firstMs * 2 ** over);
}

function refused(atMs: number, nowMs: number): LoginDecision {
  return { type: 'refused', retryAfterMs: atMs - nowMs };
}
