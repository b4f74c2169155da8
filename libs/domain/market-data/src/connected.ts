import type { LogPlace, LogWriter } from './log-writer';

/** Logs that the feed is connected, with the venue's facts. A place without a pass is a live feed's. */
export function writeConnected({ instrument, pass }: LogPlace, log: LogWriter): void {
  const { channels, bookStalenessMs, tradeStalenessMs, contextStalenessMs, closingLagMs } = instrument;
  const sourceKind = pass === 0 ? 'live' : 'recorded';
  log.status({ type: 'connected', channels, bookStalenessMs, tradeStalenessMs, contextStalenessMs, closingLagMs, sourceKind });
}
