/** So many attempts in so long. */
export interface AttemptLimit {
  readonly max: number;
  readonly windowMs: number;
}

/** Every limit on attempts. They hold over all replicas and across restarts, and are never off. */
export interface AccountLimits {
  /** Failed logins of one account from one address. */
  readonly loginPair: AttemptLimit;
  /** Failed logins and refused claims and resets from one address; all hold. */
  readonly address: readonly AttemptLimit[];
  /** Failed logins of one account from anywhere, before its logins must wait for one another. */
  readonly loginAccount: AttemptLimit;
  /** The wait after one failure too many, doubling with each further one up to the longest. */
  readonly loginDelay: { readonly firstMs: number; readonly longestMs: number };
  /** Logins that need not wait, from addresses that have not failed on the account: so that its owner gets in during an attack. */
  readonly loginFresh: AttemptLimit;
  /** Reset mails of one account. */
  readonly resetAccount: AttemptLimit;
  /** Reset requests from one address. */
  readonly resetAddress: AttemptLimit;
  /** Mails about a claim to one email; all hold. */
  readonly claimEmail: readonly AttemptLimit[];
  /** Mails about claims to all emails together. */
  readonly claimMailTotal: AttemptLimit;
  /** Claims that ask for a mail, from one address. */
  readonly claimAddress: AttemptLimit;
  /** Claims with a key alone, where emails are verified: all from one address, and the failed ones with keys of one tenant. */
  readonly claimKey: AttemptLimit;
  /** Trials opened from one address. */
  readonly trial: AttemptLimit;
  /** Trials opened from anywhere. */
  readonly trialTotal: AttemptLimit;
  /** Sandbox keys given to one address. */
  readonly sandboxKey: AttemptLimit;
}

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;

export const DEFAULT_LIMITS: AccountLimits = {
  loginPair: { max: 5, windowMs: 15 * MINUTE_MS },
  address: [
    { max: 20, windowMs: 10 * MINUTE_MS },
    { max: 100, windowMs: DAY_MS },
  ],
  loginAccount: { max: 50, windowMs: HOUR_MS },
  loginDelay: { firstMs: 1_000, longestMs: 15 * MINUTE_MS },
  loginFresh: { max: 30, windowMs: HOUR_MS },
  resetAccount: { max: 3, windowMs: HOUR_MS },
  resetAddress: { max: 10, windowMs: HOUR_MS },
  claimEmail: [
    { max: 3, windowMs: HOUR_MS },
    { max: 5, windowMs: DAY_MS },
  ],
  claimMailTotal: { max: 1_000, windowMs: DAY_MS },
  claimAddress: { max: 10, windowMs: HOUR_MS },
  claimKey: { max: 5, windowMs: HOUR_MS },
  trial: { max: 2, windowMs: DAY_MS },
  trialTotal: { max: 100, windowMs: DAY_MS },
  sandboxKey: { max: 5, windowMs: DAY_MS },
};

/** When attempts at these times allow the next under a limit, milliseconds since the epoch; `nowMs` or earlier: now. Times are in order. */
export function allowedAtMs(stamps: readonly number[], { max, windowMs }: AttemptLimit, nowMs: number): number {
  const recent = stamps.filter((stamp) => stamp > nowMs - windowMs);
  if (recent.length < max) return nowMs;
  return (recent.at(-Math.max(1, max)) ?? nowMs) + windowMs;
}
