import type { TimedChannel } from './event';
import type { RejectionCounts } from './rejections';
import type { LogPlace, LogWriter } from './log-writer';

/**
 * Logs the connection with the venue's facts. No pass means a live feed; the simulated venue is always marked as such.
 */
export function writeConnected({ instrument, pass }: LogPlace, log: LogWriter): void {
  const { venue, channels, bookStalenessMs, tradeStalenessMs, contextStalenessMs, closingLagMs } = instrument;
  const sourceKind = venue === 'simulated' ? 'simulated' : pass === 0 ? 'live' : 'recorded';
  log.status({ type: 'connected', channels, bookStalenessMs, tradeStalenessMs, contextStalenessMs, closingLagMs, sourceKind });
}

/**
 * Converts one instrument's venue messages to log events at the log's feed clock, for live feeds and recordings alike.
 * Invalid input is counted by reason and never throws.
 */
export interface Normalizer<Message> {
  readonly rejections: RejectionCounts;
  accept(message: Message): void;
  /** Writes events due before a tick; the caller writes the tick. */
  tick(): void;
  /** End of input: writes pending events and closes open gaps. */
  finish(): void;
}

/** Created per live connection, so that no state carries over. */
export interface LiveNormalizer<Message> extends Normalizer<Message> {
  /** A book or missed data must be requested. */
  readonly needsSnapshot: boolean;
  /** Channel whose subscription brought the message; undefined for REST responses and unmonitored channels. */
  channelOf(message: Message): TimedChannel | undefined;
  /** The venue's own count shows no newer trade. */
  readonly isTradeQuiet: boolean;
  /** Book messages were dropped under load: writes a gap if the book cannot continue. */
  overflowed(): void;
  /** Connection ended: writes pending events and known losses. The caller logs the disconnect. */
  ended(): void;
}
