import type { TimedChannel } from '../event';
import { LogWriter, type PlacedEvent } from '../log-writer';
import { RecentIds } from '../normalizer';
import { type Identified, type LogTail, OpenGaps, type LoggedMarket } from './log-tail';

type Book = Parameters<LogWriter['book']>;
type Trade = Parameters<LogWriter['trade']>[0];
type Context = Parameters<LogWriter['context']>;
type Liquidation = Parameters<LogWriter['liquidation']>[0];
type Status = Parameters<LogWriter['status']>;

/** Skips entries that an earlier connection already wrote under the same id. */
export class LiveLog extends LogWriter {
  lastExchangeMs = 0;
  lastVenueId = '';
  /** Newest exchange time by channel; the feed clock if the venue sends no time. */
  readonly lastMs = new Map<TimedChannel, number>();
  bookMs: number | undefined;
  /** This connection's trades continue the previous ones without a gap: one overlaps, or has the next id. */
  tradesJoin = false;
  gaps = new OpenGaps();
  duplicateTotal = 0;
  private readonly known = new RecentIds();
  private knownHere = new RecentIds();
  private lastTrade: Identified | undefined;
  private before: Identified | undefined;
  private logged: LoggedMarket | undefined;

  remember({ kind, venueId, exchangeTsMs }: Identified): boolean {
    if (kind === 'trade') this.lastTrade = { kind, venueId, exchangeTsMs };
    return venueId === '' || this.known.add(`${kind} ${venueId}`);
  }

  knows({ kind, venueId }: Pick<Identified, 'kind' | 'venueId'>): boolean {
    return this.known.has(`${kind} ${venueId}`);
  }

  follow(place: { readonly epoch: number; readonly firstOrdinal: number }, tail: LogTail, logged: LoggedMarket | undefined): void {
    this.moveTo(place);
    this.logged = logged;
    this.gaps = new OpenGaps();
    tail.openGaps.forEach((gap) => this.gaps.apply(gap));
    tail.known.forEach((entry) => this.remember(entry));
    this.lastExchangeMs = tail.lastExchangeMs;
    this.lastVenueId = '';
    this.bookMs = undefined;
    this.tradesJoin = false;
  }

  writeAgain({ event, deepBook }: PlacedEvent): void {
    const { kind, venueId, exchangeTsMs, exchangeTsIsReceiveTime: isUntimed } = event;
    if (event.kind === 'feed_status') return this.status(event.status, isUntimed ? undefined : exchangeTsMs);
    if (!isUntimed && kind !== 'tick') this.heard(exchangeTsMs, venueId);
    if (event.kind === 'book') {
      this.bookMs = exchangeTsMs;
      return super.book(event, deepBook);
    }
    if (event.kind !== 'tick') this.remember(event);
    this.copy(isUntimed ? { ...event, exchangeTsMs: this.clockMs } : event);
  }

  override get tradeBefore(): Identified | undefined {
    return this.before;
  }

  beginConnection(): void {
    this.knownHere = new RecentIds();
    this.bookMs = undefined;
    this.tradesJoin = false;
    this.before = this.lastTrade;
  }

  override book(...[facts, deepBook]: Book): void {
    this.bookMs = facts.exchangeTsMs;
    this.lastMs.set('book', facts.exchangeTsMs);
    if (this.logged?.hasBook(facts) === true) return;
    this.heard(facts.exchangeTsMs, facts.venueId);
    super.book(facts, deepBook);
  }

  override trade(facts: Trade): void {
    this.lastMs.set('trade', Math.max(this.lastMs.get('trade') ?? 0, facts.exchangeTsMs));
    const isNewHere = this.knownHere.add(facts.venueId);
    const follows = this.before !== undefined && Number(facts.venueId) === Number(this.before.venueId) + 1;
    const isNew = this.isNew('trade', facts);
    if (follows || (!isNew && isNewHere)) this.tradesJoin = true;
    if (!isNew) return;
    this.heard(facts.exchangeTsMs, facts.venueId);
    super.trade(facts);
  }

  override context(...[facts, exchangeTsMs]: Context): void {
    this.lastMs.set('context', exchangeTsMs ?? this.clockMs);
    if (facts.venueId === '' && this.logged?.hasContext(facts, this.clockMs) === true) return;
    if (!this.isNew('context', { venueId: facts.venueId, exchangeTsMs: exchangeTsMs ?? this.clockMs })) return;
    if (exchangeTsMs !== undefined) this.heard(exchangeTsMs, facts.venueId);
    super.context(facts, exchangeTsMs);
  }

  override liquidation(facts: Liquidation): void {
    if (facts.venueId === '' && this.logged?.hasLiquidation(facts) === true) return;
    if (!this.isNew('liquidation', facts)) return;
    this.heard(facts.exchangeTsMs, facts.venueId);
    super.liquidation(facts);
  }

  override status(...[status, exchangeTsMs]: Status): void {
    this.gaps.apply(status);
    super.status(status, exchangeTsMs);
  }

  private isNew(kind: Identified['kind'], { venueId, exchangeTsMs }: Omit<Identified, 'kind'>): boolean {
    const isNew = this.remember({ kind, venueId, exchangeTsMs });
    if (!isNew) this.duplicateTotal++;
    return isNew;
  }

  private heard(exchangeTsMs: number, venueId: string): void {
    if (exchangeTsMs < this.lastExchangeMs) return;
    this.lastExchangeMs = exchangeTsMs;
    this.lastVenueId = venueId;
  }
}
