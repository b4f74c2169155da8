import type { PlayedInstrument } from './instruments';
import type { LogWriter } from './log-writer';

/** Logs that a recording of the instrument is connected, with the venue's facts. */
export function writeConnected(instrument: PlayedInstrument, log: LogWriter): void {
  const { channels, bookStalenessMs, tradeStalenessMs, contextStalenessMs, closingLagMs } = instrument;
  log.status({ type: 'connected', channels, bookStalenessMs, tradeStalenessMs, contextStalenessMs, closingLagMs, sourceKind: 'recorded' });
}
