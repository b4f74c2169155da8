import { deadlineExceeded } from '@market-state/errors';
import { currentRequestContext } from '@market-state/logging';
import { HOP_RESERVE_MS } from './limits';

/**
 * Wall clock by which an outgoing call must be answered: its own deadline, or that of the request being served less 50 ms, whichever
 * comes first.
 * @throws {ServiceError} DEADLINE_EXCEEDED when no time is left.
 */
export function outgoingDeadlineMs(ownMs: number, nowMs: number): number {
  const inherited = currentRequestContext()?.deadlineMs;
  const deadlineMs = Math.min(nowMs + ownMs, inherited === undefined ? Infinity : inherited - HOP_RESERVE_MS);
  if (deadlineMs <= nowMs) throw deadlineExceeded('deadline_exceeded', "The caller's time was up.");
  return deadlineMs;
}
