import type { TimedChannel } from './event';
import type { RejectionCounts } from './rejections';
import type { LogPosition, LogWriter } from './log-writer';

/** No pass means a live feed; the simulated venue is always marked as such. */
export function writeConnected({ instrument, pass }: LogPosition, log: LogWriter): void {
  const { venue, channels, bookStalenessMs, tradeStalenessMs, contextStalenessMs, closingLagMs } = instrument;
  const sourceKind = venue === 'simulated' ? 'simulated' : pass === 0 ? 'live' : 'recorded';
  log.status({ type: 'connected', channels, bookStalenessMs, tradeStalenessMs, contextStalenessMs, closingLagMs, sourceKind });
}

export interface Normalizer<Message> {
  readonly rejections: RejectionCounts;
  accept(message: Message): void;
  tick(): void;
  finish(): void;
}

/** Created per live connection, so that no state carries over. */
export interface LiveNormalizer<Message> extends Normalizer<Message> {
  readonly needsSnapshot: boolean;
  /** Channel whose subscription brought the message; undefined for REST responses and unmonitored channels. */
  channelOf(message: Message): TimedChannel | undefined;
  readonly isTradeQuiet: boolean;
  /** Book messages were dropped under load: writes a gap if the book cannot continue. */
  overflowed(): void;
  ended(): void;
}
