import type { DeepBook } from './deep-book';
import type {
  BookEvent,
  ContextEvent,
  FeedStatus,
  FeedStatusEvent,
  GapReason,
  LiquidationEvent,
  MarketEvent,
  TickEvent,
  TradeEvent,
} from './event';
import type { PlayedInstrument } from './played-instrument';

/** An event at its place in the log, and when it is due. */
export interface PlacedEvent {
  /** The feed clock at which it is appended, milliseconds; never falls along the log. */
  readonly dueFeedClockMs: number;
  readonly event: MarketEvent;
  /** On book events of a venue that sends more levels than an event holds: the same book, deeper. */
  readonly deepBook?: DeepBook;
}

/** Where a pass stands in the log. */
export interface LogPlace {
  readonly instrument: PlayedInstrument;
  /** Playback pass, rising from 1; 0 on a live feed. */
  readonly pass: number;
  readonly epoch: number;
  readonly firstOrdinal: number;
}

type BookFacts = Pick<BookEvent, 'venueId' | 'exchangeTsMs' | 'bids' | 'asks'>;
type TradeFacts = Pick<TradeEvent, 'venueId' | 'exchangeTsMs' | 'price' | 'size' | 'venueSize' | 'aggressorSide'>;
type LiquidationFacts = Pick<LiquidationEvent, 'venueId' | 'exchangeTsMs' | 'positionSide' | 'price' | 'size' | 'venueSize' | 'provenance'>;
/** What a context entry says, as `ContextEvent` has it. */
export type ContextFacts = Omit<ContextEvent, keyof TickEvent>;

/**
 * Builds events in log order: gives each the next ordinal, and the feed clock as receive and due time. Whoever writes speaks in
 * the times of the venue; what is written has them moved by the shift.
 */
export class LogWriter {
  private readonly venue: string;
  private readonly symbol: string;
  private ordinal: number;
  private entries: PlacedEvent[] = [];
  /** The feed clock, not shifted. */
  clockMs = 0;

  /**
   * @param keepsDeepBooks whether books of the log come with the same book, deeper: a copy of two thousand levels each
   * @param shiftMs added to every time that is written
   */
  constructor(
    private place: LogPlace,
    readonly keepsDeepBooks: boolean,
    readonly shiftMs = 0,
  ) {
    this.venue = place.instrument.venue;
    this.symbol = place.instrument.symbol;
    this.ordinal = place.firstOrdinal;
  }

  /** The last trade of this log before what is written now came by another connection; undefined where there is none. */
  get tradeBefore(): Pick<TradeEvent, 'venueId' | 'exchangeTsMs'> | undefined {
    return undefined;
  }

  /** The ordinal of what is written next. */
  get nextOrdinal(): number {
    return this.ordinal;
  }

  /** Goes on at another place of the log. What was not taken is left out of it. */
  moveTo(place: Pick<LogPlace, 'epoch' | 'firstOrdinal'>): void {
    this.place = { ...this.place, ...place };
    this.ordinal = place.firstOrdinal;
    this.entries = [];
  }

  /** What was written since the last call. */
  take(): readonly PlacedEvent[] {
    const { entries } = this;
    if (entries.length === 0) return entries;
    this.entries = [];
    return entries;
  }

  book(facts: BookFacts, deepBook?: DeepBook): void {
    const event: BookEvent = {
      kind: 'book',
      ...this.envelope(facts.venueId, facts.exchangeTsMs, false),
      bids: facts.bids,
      asks: facts.asks,
    };
    this.entries.push({ dueFeedClockMs: this.clockMs + this.shiftMs, event, deepBook });
  }

  trade(facts: TradeFacts): void {
    const { price, size, venueSize, aggressorSide } = facts;
    this.push({ kind: 'trade', ...this.envelope(facts.venueId, facts.exchangeTsMs, false), price, size, venueSize, aggressorSide });
  }

  /** `exchangeTsMs` absent: the venue sent no time; the entry takes the feed clock, flagged. */
  context({ venueId, ...facts }: ContextFacts & Pick<ContextEvent, 'venueId'>, exchangeTsMs?: number): void {
    this.push({ kind: 'context', ...this.envelope(venueId, exchangeTsMs ?? this.clockMs, exchangeTsMs === undefined), ...facts });
  }

  liquidation({ venueId, exchangeTsMs, ...facts }: LiquidationFacts): void {
    this.push({ kind: 'liquidation', ...this.envelope(venueId, exchangeTsMs, false), ...facts });
  }

  tick(): void {
    const event: TickEvent = { kind: 'tick', ...this.envelope('', this.clockMs, false), feedClockMs: this.clockMs + this.shiftMs };
    this.push(event);
  }

  /** `exchangeTsMs` absent: the status has no venue time and takes the feed clock, flagged. The span of the status is not shifted yet. */
  status(status: FeedStatus, exchangeTsMs?: number): void {
    this.push({
      kind: 'feed_status',
      ...this.envelope('', exchangeTsMs ?? this.clockMs, exchangeTsMs === undefined),
      status: shifted(status, this.shiftMs),
    });
  }

  /** An entry of another log, with its times. Those that it has are shifted; its place, and the clock, are this log's. */
  copy(event: MarketEvent): void {
    const { exchangeTsMs, exchangeTsIsReceiveTime, venueId } = event;
    const envelope = this.envelope(venueId, exchangeTsMs, exchangeTsIsReceiveTime);
    switch (event.kind) {
      case 'tick':
        return this.push({ ...event, ...envelope, feedClockMs: event.feedClockMs + this.shiftMs });
      case 'feed_status':
        return this.push({ ...event, ...envelope, status: shifted(event.status, this.shiftMs) });
      default:
        return this.push({ ...event, ...envelope });
    }
  }

  private push(event: MarketEvent): void {
    this.entries.push({ dueFeedClockMs: this.clockMs + this.shiftMs, event });
  }

  private envelope(venueId: string, exchangeTsMs: number, exchangeTsIsReceiveTime: boolean): Omit<TickEvent, 'kind' | 'feedClockMs'> {
    const { venue, symbol, clockMs, shiftMs } = this;
    const { pass, epoch } = this.place;
    return {
      venue,
      symbol,
      pass,
      venueId,
      exchangeTsMs: exchangeTsMs + shiftMs,
      exchangeTsIsReceiveTime,
      receivedTsMs: clockMs + shiftMs,
      ordinal: this.ordinal++,
      epoch,
    };
  }
}

/** An end of 0 stays: the gap is open. */
function shifted(status: FeedStatus, shiftMs: number): FeedStatus {
  if (shiftMs === 0 || status.type === 'connected' || status.type === 'disconnected') return status;
  return { ...status, startMs: status.startMs + shiftMs, endMs: status.endMs === 0 ? 0 : status.endMs + shiftMs };
}

/** What `outageEvent` needs beside the place: the span that the log lacks, and why. */
interface Outage {
  readonly gapId: string;
  readonly reason: Exclude<GapReason, 'sequence_gap'>;
  readonly startMs: number;
  readonly endMs: number;
  /** The feed clock when the entry is written. */
  readonly feedClockMs: number;
}

/** The closed gap entry, of all channels, that a feed writes ahead of a pass when the log was lost or the feed was down. */
export function outageEvent(place: LogPlace, outage: Outage): FeedStatusEvent {
  const { gapId, reason, startMs, endMs, feedClockMs } = outage;
  const { venue, symbol } = place.instrument;
  return {
    kind: 'feed_status',
    venue,
    symbol,
    pass: place.pass,
    venueId: '',
    exchangeTsMs: feedClockMs,
    exchangeTsIsReceiveTime: true,
    receivedTsMs: feedClockMs,
    ordinal: place.firstOrdinal,
    epoch: place.epoch,
    status: { type: 'gap', gapId, startMs, endMs, reason },
  };
}
