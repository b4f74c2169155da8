import type { TimedChannel } from '../event';
import { LogWriter, type PlacedEvent } from '../log-writer';
import { RecentIds } from '../recent-ids';
import { type Identified, type LogTail, OpenGaps } from './log-tail';
import type { LoggedMarket } from './logged-market';

type Book = Parameters<LogWriter['book']>;
type Trade = Parameters<LogWriter['trade']>[0];
type Context = Parameters<LogWriter['context']>;
type Liquidation = Parameters<LogWriter['liquidation']>[0];
type Status = Parameters<LogWriter['status']>;

/**
 * Writes the log of a live symbol over all its connections: what any of them brought before under the same id is left out, and what the
 * present one has brought is known.
 */
export class LiveLog extends LogWriter {
  /** Newest exchange time written, and the venue's id there; 0 and '' before the first. */
  lastExchangeMs = 0;
  lastVenueId = '';
  /** Newest exchange time by channel; the feed clock where the venue sends none. */
  readonly lastMs = new Map<TimedChannel, number>();
  /** Exchange time of the newest book of this connection. */
  bookMs: number | undefined;
  /**
   * This connection's trades carry on those before it without a hole: it brought one again that an earlier one had brought, or
   * the one whose number follows.
   */
  tradesJoin = false;
  /** Gaps that were written and have not ended. */
  gaps = new OpenGaps();
  /** What was left out. */
  duplicateTotal = 0;
  private readonly known = new RecentIds();
  private knownHere = new RecentIds();
  private lastTrade: Identified | undefined;
  private before: Identified | undefined;
  /** The end of the log that another player wrote, of which something may still be on its way to this one. */
  private logged: LoggedMarket | undefined;

  /** The log holds this already. @returns whether it was not known yet */
  remember({ kind, venueId, exchangeTsMs }: Identified): boolean {
    if (kind === 'trade') this.lastTrade = { kind, venueId, exchangeTsMs };
    return venueId === '' || this.known.add(`${kind} ${venueId}`);
  }

  /** Whether this player has heard it, or found it in the log. */
  knows({ kind, venueId }: Pick<Identified, 'kind' | 'venueId'>): boolean {
    return this.known.has(`${kind} ${venueId}`);
  }

  /** Another player has written the log up to there: nothing of it is written again. What this one has heard stays known to it. */
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

  /** Writes an entry of its own once more, at its new place and now; what the venue did not time takes this moment. */
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

  /** Another connection begins. */
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
