import type { Queryable } from '@market-state/postgres';
import { sweepSessions } from '../sessions/sweep-sessions';
import { deleteExpiredClaimTokens } from '../store/claim-tokens';
import { deleteExpiredEmailClaims } from '../store/email-claims';
import { deleteExpiredPasswordResets } from '../store/password-resets';
import { deleteOldStamps } from '../store/throttles';

/** Longer than any limit looks back. */
const STAMPS_KEPT_MS = 2 * 86_400_000;

/** Forgets what time has ended: sessions, tokens, and attempts that no limit counts any more. */
export async function sweepAccounts(db: Queryable, nowMs: number): Promise<void> {
  await sweepSessions(db, nowMs);
  await deleteOldStamps(db, nowMs - STAMPS_KEPT_MS);
  await deleteExpiredClaimTokens(db, nowMs);
  await deleteExpiredEmailClaims(db, nowMs);
  await deleteExpiredPasswordResets(db, nowMs);
}
