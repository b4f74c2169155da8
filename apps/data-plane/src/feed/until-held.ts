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
 * Resolves once a symbol's log is this feed's to write: it holds the lease, and the log takes no entry of an older fence any more.
 * @param onHeldByAnother told each time that another feed was found to hold it
 */
export async function untilHeld(deps: HoldDeps, symbol: string, onHeldByAnother: () => void, signal: AbortSignal): Promise<Fence> {
  const { leases, eventLog, logger, status } = deps;
  for (;;) {
    const fence = await leases.ask(symbol, signal);
    if (fence === undefined) {
      onHeldByAnother();
      continue;
    }
    const whileHeld = AbortSignal.any([signal, fence.lost]);
    const claim = (): Promise<number> =>
      eventLog.claim(symbol, fence.number).catch((error: unknown) => {
        if (isEventLogError(error, 'full')) status.paused('memory');
        throw error;
      });
    const newest = await waitFor('event_log', claim, { signal: whileHeld, logger }).catch((error: unknown) => {
      if (signal.aborted || !fence.lost.aborted) throw error;
      return undefined;
    });
    if (newest === fence.number) return fence;
    // As after a database was restored: its fences are older than the log.
    if (newest !== undefined) await leases.release(symbol, newest);
  }
}
