import { failedPrecondition } from '@market-state/errors';

/** Messages are kept so long with their bodies, milliseconds. */
const MESSAGE_KEPT_MS = 14 * 86_400_000;

/** @throws ServiceError FAILED_PRECONDITION `beyond_retention` (metadata `oldest_ms`) */
export function refuseBeyondRetention(sinceMs: number, nowMs: number): void {
  const oldestMs = nowMs - MESSAGE_KEPT_MS;
  if (sinceMs >= oldestMs) return;
  throw failedPrecondition('beyond_retention', 'Messages are kept for 14 days.', { metadata: { oldest_ms: String(oldestMs) } });
}
