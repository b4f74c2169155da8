import type { GapReason } from '../event';
import { gapIdOf } from '../gap-id';
import type { PlayedInstrument } from '../played-instrument';
import type { LiveLog } from './live-log';
import type { LogTail } from './log-tail';

/** Time in which a new connection can prove that its trades continue the previous ones. */
const JOIN_MS_MAX = 5_000;

type ConnectionGapReason = Exclude<GapReason, 'sequence_gap'>;
type OpenGap = LogTail['openGaps'][number];

interface ConnectionGap {
  readonly gapId: string;
  readonly reason: ConnectionGapReason;
  readonly startMs: number;
  readonly heardMs: number;
  bookSince?: { readonly exchangeMs: number; readonly clockMs: number };
}

/**
 * Ends at the next connection's first book: `resynced` once its trades are known to continue the previous ones,
 * otherwise after 5 s as `resumed` (data was lost).
 */
export class AllChannelGap {
  private connectionGap: ConnectionGap | undefined;
  /** Gaps left open by another feed, in which this one missed nothing; they end with its first book. */
  private inherited: readonly OpenGap[] = [];

  constructor(
    private readonly instrument: PlayedInstrument,
    private readonly log: LiveLog,
  ) {}

  get gapId(): string | undefined {
    return this.connectionGap?.gapId;
  }

  from(reason: ConnectionGapReason, startMs: number): void {
    if (this.connectionGap === undefined) this.open(reason, startMs);
    else this.connectionGap.bookSince = undefined;
  }

  open(reason: ConnectionGapReason, startMs: number): void {
    const gapId = this.idOf(reason, startMs, `${this.log.lastVenueId}@${this.log.clockMs}`);
    this.connectionGap = { gapId, reason, startMs, heardMs: Math.max(startMs, this.log.lastExchangeMs) };
    this.log.status({ type: 'gap', gapId, startMs, endMs: 0, reason });
  }

  replace(reason: ConnectionGapReason, startMs: number): void {
    const { connectionGap } = this;
    if (connectionGap === undefined) return this.open(reason, startMs);
    if (connectionGap.reason === reason) return;
    const endMs = Math.max(connectionGap.startMs, this.log.clockMs);
    this.log.status({ type: 'gap', gapId: connectionGap.gapId, startMs: connectionGap.startMs, endMs, reason: connectionGap.reason });
    this.open(reason, endMs);
  }

  /** Closes the log's open gaps at its end and opens the gap behind it. */
  openBehind(start: LiveStart): void {
    const endedMs = Math.max(start.tail?.lastExchangeMs ?? 0, start.tail?.feedClockMs ?? 0);
    const open = start.tail?.openGaps ?? [];
    for (const { gapId, channel, startMs, reason } of open)
      this.log.status({ type: 'gap', gapId, channel, startMs, endMs: Math.max(startMs, endedMs), reason });
    const wasOpen = open.some(({ channel }) => channel === undefined);
    const startMs = downSinceMs(start, this.instrument);
    this.open(start.opening === 'log_lost' ? 'log_lost' : 'feed_down', wasOpen ? Math.max(startMs, endedMs) : startMs);
  }

  forget(): void {
    this.connectionGap = undefined;
    this.inherited = [];
  }

  inherit(gaps: readonly OpenGap[]): void {
    this.inherited = gaps;
  }

  settle(): void {
    const { bookMs, clockMs } = this.log;
    if (bookMs === undefined) return;
    if (this.connectionGap === undefined) return this.endInherited(bookMs);
    this.connectionGap.bookSince ??= { exchangeMs: bookMs, clockMs };
    const { gapId, startMs, heardMs, bookSince } = this.connectionGap;
    const endMs = Math.max(heardMs, bookSince.exchangeMs);
    const isJoined = this.log.tradesJoin || !this.instrument.channels.includes('trade');
    if (!isJoined && clockMs - bookSince.clockMs < JOIN_MS_MAX) return;
    const gap = this.log.gaps.list().find((open) => open.gapId === gapId);
    this.connectionGap = undefined;
    if (isJoined) this.log.status({ type: 'resynced', gapId, startMs, endMs });
    // The first book can predate the gap; trades up to its arrival were still missed.
    else if (gap !== undefined) this.log.status({ ...gap, endMs: endMs > heardMs ? endMs : Math.max(endMs, bookSince.clockMs) });
  }

  idOf(reason: ConnectionGapReason, startMs: number, lastVenueId: string): string {
    const { venue, symbol } = this.instrument;
    return gapIdOf({ venue, symbol, pass: 0, reason, startMs, lastVenueId });
  }

  private endInherited(bookMs: number): void {
    const { inherited } = this;
    this.inherited = [];
    for (const { gapId, channel, startMs } of inherited)
      this.log.status({ type: 'resynced', gapId, channel, startMs, endMs: Math.max(startMs, bookMs) });
  }
}

export interface LiveStart {
  readonly epoch: number;
  readonly firstOrdinal: number;
  /** `first`: the log is empty. */
  readonly opening: 'first' | 'feed_down' | 'log_lost';
  /** Exchange time from which data may be missing; ignored for `first`. */
  readonly openingStartMs: number;
  readonly clockMs: number;
  readonly tail?: LogTail;
}

/** A stopped feed last received data at the log's newest exchange time; later ticks prove nothing. */
function downSinceMs({ opening, openingStartMs, tail }: LiveStart, instrument: PlayedInstrument): number {
  const wholeToMs = opening === 'feed_down' ? wholeTo(tail?.lastExchangeMs ?? 0, instrument) : undefined;
  return wholeToMs === undefined ? openingStartMs : Math.min(openingStartMs, wholeToMs);
}

/** Channels can lag each other by up to the closing lag. */
export function wholeTo(lastExchangeMs: number, { closingLagMs }: PlayedInstrument): number | undefined {
  return lastExchangeMs === 0 ? undefined : Math.max(0, lastExchangeMs - closingLagMs);
}
