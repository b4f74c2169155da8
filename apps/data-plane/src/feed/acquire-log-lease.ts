import { type EventLog, isEventLogError } from '@market-state/event-log';
import { waitFor } from '@market-state/lifecycle';
import type { Logger } from '@market-state/logging';
import type { SymbolStatus } from './symbol-status';
import type { Fence, Leases } from './leases';

interface HoldDeps {
  readonly leases: Leases;
  readonly eventLog: EventLog;
  readonly logger: Logger;
  readonly status: SymbolStatus;
}

/**
 * Also waits until the log rejects older fences.
 * @param onLeasedByAnother called each time another feed holds it
 */
export async function acquireLogLease(deps: HoldDeps, symbol: string, onLeasedByAnother: () => void, signal: AbortSignal): Promise<Fence> {
  const { leases, eventLog, logger, status } = deps;
  for (;;) {
    const fence = await leases.ask(symbol, signal);
    if (fence === undefined) {
      onLeasedByAnother();
      continue;
    }
    const whileLeased = AbortSignal.any([signal, fence.lost]);
    const claim = (): Promise<number> =>
      eventLog.claim(symbol, fence.number).catch((error: unknown) => {
        if (isEventLogError(error, 'full')) status.paused('memory');
        throw error;
      });
    const newest = await waitFor('event_log', claim, { signal: whileLeased, logger }).catch((error: unknown) => {
      if (signal.aborted || !fence.lost.aborted) throw error;
      return undefined;
    });
    if (newest === fence.number) return fence;
    // After a database restore, its fences are older than the log's.
    if (newest !== undefined) await leases.release(symbol, newest);
  }
}
