import type { TimedChannel } from './event';
import type { RejectionCounts } from './rejections';
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

/**
 * Turns one instrument's messages of one venue into events, written to the log it was made with, at the log's feed clock.
 * Bad input is counted by reason and never throws. A live adapter and a recording drive it alike.
 */
export interface Normalizer<Message> {
  readonly rejections: RejectionCounts;
  accept(message: Message): void;
  /** The feed clock has come to a tick: writes what is due before it. The caller writes the tick. */
  tick(): void;
  /** Nothing follows: writes what waits, and closes what is open. */
  finish(): void;
}

/** A normalizer that a live connection drives: made anew for each connection, so that nothing of an older one is carried on. */
export interface LiveNormalizer<Message> extends Normalizer<Message> {
  /** Something is missing that must be asked for: a whole book, where the venue sends changes, or what may have been missed. */
  readonly needsSnapshot: boolean;
  /** The channel whose subscription brought a message; undefined for REST answers and for channels that are not watched. */
  channelOf(message: Message): TimedChannel | undefined;
  /** By the venue's own count, no trade was made since the last one. */
  readonly isTradeQuiet: boolean;
  /** More came than could be taken, and messages of the book were let go: writes the gap, where the book can't be carried on. */
  overflowed(): void;
  /** The connection ended: writes what waits, and what it was short of, as far as that is known by now. The caller writes that it ended. */
  ended(): void;
}
