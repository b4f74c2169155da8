export interface AttemptLimit {
  readonly max: number;
  readonly windowMs: number;
}

/** Limits on attempts, across replicas and restarts; they cannot be turned off. All limits of a list apply. */
export interface AccountLimits {
  readonly loginPair: AttemptLimit;
  /** Failed logins, refused claims and refused resets per address. */
  readonly address: readonly AttemptLimit[];
  /** Failed logins per account from any address before its logins are delayed. */
  readonly loginAccount: AttemptLimit;
  /** First delay after exceeding `loginAccount`; it doubles with each further failure up to `longestMs`. */
  readonly loginDelay: { readonly firstMs: number; readonly longestMs: number };
  /** Undelayed logins from addresses without a failure on the account, so that its owner gets in during an attack. */
  readonly loginFresh: AttemptLimit;
  /** Logins that an address may begin with the OpenID Connect provider; each one stores a row. */
  readonly oidcAddress: AttemptLimit;
  readonly resetAccount: AttemptLimit;
  readonly resetAddress: AttemptLimit;
  /** Requested changes of an account's email, and mails with a code to an email. */
  readonly emailChange: readonly AttemptLimit[];
  /** Wrong authentication codes of an account, whatever the address, and its failed changes of the factor. */
  readonly secondFactor: readonly AttemptLimit[];
  /** Claim mails per email. */
  readonly claimEmail: readonly AttemptLimit[];
  readonly claimMailTotal: AttemptLimit;
  readonly claimAddress: AttemptLimit;
  /** Claims with only a key, if emails are verified: all per address, and failed ones per tenant. */
  readonly claimKey: AttemptLimit;
  readonly invitation: readonly AttemptLimit[];
  readonly invitationEmail: readonly AttemptLimit[];
  readonly trial: AttemptLimit;
  readonly trialTotal: AttemptLimit;
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
  oidcAddress: { max: 300, windowMs: 10 * MINUTE_MS },
  resetAccount: { max: 3, windowMs: HOUR_MS },
  resetAddress: { max: 10, windowMs: HOUR_MS },
  emailChange: [
    { max: 5, windowMs: HOUR_MS },
    { max: 10, windowMs: DAY_MS },
  ],
  secondFactor: [
    { max: 10, windowMs: 15 * MINUTE_MS },
    { max: 30, windowMs: DAY_MS },
  ],
  claimEmail: [
    { max: 3, windowMs: HOUR_MS },
    { max: 5, windowMs: DAY_MS },
  ],
  claimMailTotal: { max: 1_000, windowMs: DAY_MS },
  claimAddress: { max: 10, windowMs: HOUR_MS },
  claimKey: { max: 5, windowMs: HOUR_MS },
  invitation: [
    { max: 20, windowMs: HOUR_MS },
    { max: 50, windowMs: DAY_MS },
  ],
  invitationEmail: [
    { max: 3, windowMs: HOUR_MS },
    { max: 5, windowMs: DAY_MS },
  ],
  trial: { max: 2, windowMs: DAY_MS },
  trialTotal: { max: 100, windowMs: DAY_MS },
  sandboxKey: { max: 5, windowMs: DAY_MS },
};

/** Earliest time of the next attempt; `nowMs` or less means now. `stamps` is ascending. */
export function allowedAtMs(stamps: readonly number[], { max, windowMs }: AttemptLimit, nowMs: number): number {
  const recent = stamps.filter((stamp) => stamp > nowMs - windowMs);
  if (recent.length < max) return nowMs;
  return (recent.at(-Math.max(1, max)) ?? nowMs) + windowMs;
}
