/** What ends a session, whichever comes first. */
export const SESSION_LIFE_MS = 24 * 3_600_000;
export const SESSION_IDLE_MS = 2 * 3_600_000;

/** Most sessions of an account; one more ends the oldest. */
export const SESSIONS_MAX = 10;

/** A session's last use is written at most once in this time. */
export const SESSION_TOUCH_MS = 60_000;

/** What a session opens. Times are milliseconds since the epoch. */
export interface SessionOfAccount {
  readonly accountId: string;
  readonly tenantId: string;
  /** Null: no plan. */
  readonly planId: string | null;
  readonly lastUsedTsMs: number;
  readonly expiresTsMs: number;
}

/** Whether a session opens anything at `nowMs`. */
export function isOpen({ lastUsedTsMs, expiresTsMs }: SessionOfAccount, nowMs: number): boolean {
  return nowMs < expiresTsMs && nowMs < lastUsedTsMs + SESSION_IDLE_MS;
}
