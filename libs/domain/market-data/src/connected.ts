import type { LogPlace, LogWriter } from './log-writer';

/**
 * Logs that the feed is connected, with the venue's facts. A place without a pass is a live feed's; the simulated venue is always told as
 * such.
 */
export function writeConnected({ instrument, pass }: LogPlace, log: LogWriter): void {
  const { venue, channels, bookStalenessMs, tradeStalenessMs, contextStalenessMs, closingLagMs } = instrument;
  const sourceKind = venue === 'simulated' ? 'simulated' : pass === 0 ? 'live' : 'recorded';
  log.status({ type: 'connected', channels, bookStalenessMs, tradeStalenessMs, contextStalenessMs, closingLagMs, sourceKind });
}
