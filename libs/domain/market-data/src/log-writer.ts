import type { DeepBook } from './book-side';
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

export interface PlacedEvent {
  /** Feed clock at which it is appended; never decreases along the log. */
  readonly dueFeedClockMs: number;
  readonly event: MarketEvent;
  readonly deepBook?: DeepBook;
}

export interface LogPosition {
  readonly instrument: PlayedInstrument;
  readonly pass: number;
  readonly epoch: number;
  readonly firstOrdinal: number;
}

type BookFacts = Pick<BookEvent, 'venueId' | 'exchangeTsMs' | 'bids' | 'asks'>;
type TradeFacts = Pick<TradeEvent, 'venueId' | 'exchangeTsMs' | 'price' | 'size' | 'venueSize' | 'aggressorSide'>;
type LiquidationFacts = Pick<LiquidationEvent, 'venueId' | 'exchangeTsMs' | 'positionSide' | 'price' | 'size' | 'venueSize' | 'provenance'>;
export type ContextFacts = Omit<ContextEvent, keyof TickEvent>;

/** Assigns ordinals and the feed clock. Callers pass venue times; the shift is applied on write. */
export class LogWriter {
  private readonly venue: string;
  private readonly symbol: string;
  private ordinal: number;
  private entries: PlacedEvent[] = [];
  clockMs = 0;

  /**
   * @param keepsDeepBooks attaches deep books: a copy of two thousand levels each
   * @param shiftMs added to every written time
   */
  constructor(
    private place: LogPosition,
    readonly keepsDeepBooks: boolean,
    readonly shiftMs = 0,
  ) {
    this.venue = place.instrument.venue;
    this.symbol = place.instrument.symbol;
    this.ordinal = place.firstOrdinal;
  }

  /** Previous trade if it came from another connection; otherwise undefined. */
  get tradeBefore(): Pick<TradeEvent, 'venueId' | 'exchangeTsMs'> | undefined {
    return undefined;
  }

  get nextOrdinal(): number {
    return this.ordinal;
  }

  moveTo(place: Pick<LogPosition, 'epoch' | 'firstOrdinal'>): void {
    this.place = { ...this.place, ...place };
    this.ordinal = place.firstOrdinal;
    this.entries = [];
  }

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

  /** Without `exchangeTsMs`, uses the feed clock, flagged. */
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

  /** Without `exchangeTsMs`, uses the feed clock, flagged. The status span must not be shifted yet. */
  status(status: FeedStatus, exchangeTsMs?: number): void {
    this.push({
      kind: 'feed_status',
      ...this.envelope('', exchangeTsMs ?? this.clockMs, exchangeTsMs === undefined),
      status: shifted(status, this.shiftMs),
    });
  }

  /** Shifts the entry's times; position and clock are this log's. */
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

function shifted(status: FeedStatus, shiftMs: number): FeedStatus {
  if (shiftMs === 0 || status.type === 'connected' || status.type === 'disconnected') return status;
  return { ...status, startMs: status.startMs + shiftMs, endMs: status.endMs === 0 ? 0 : status.endMs + shiftMs };
}

interface Outage {
  readonly gapId: string;
  readonly reason: Exclude<GapReason, 'sequence_gap'>;
  readonly startMs: number;
  readonly endMs: number;
  readonly feedClockMs: number;
}

/** Closed all-channel gap written before a pass after a lost log or feed downtime. */
export function outageEvent(place: LogPosition, outage: Outage): FeedStatusEvent {
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
