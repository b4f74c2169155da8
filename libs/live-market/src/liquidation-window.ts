import { addDecimals, compareDecimals, type LiquidationEvent, multiplyDecimals } from '@market-state/market-data';

/** How far back liquidations are kept, feed time. */
const LIQUIDATIONS_KEPT_MS = 3_600_000;
/** Liquidations kept of a symbol: 28 a second for an hour. */
const KEPT_MAX = 100_000;

/** A liquidation with its notional in quote currency, exact. */
export interface Liquidation {
  readonly event: LiquidationEvent;
  readonly notional: string;
}

/** What happened in a window. */
export interface LiquidationSummary {
  /** Newest first. */
  readonly liquidations: readonly Liquidation[];
  readonly longNotional: string;
  readonly shortNotional: string;
  /** Of the largest notional, the newest of them; undefined without any. */
  readonly largest: Liquidation | undefined;
}

/** The liquidations of the last hour, by exchange time; each once, however often the log names it. */
export class LiquidationWindow {
  /** Oldest first. */
  private readonly events: LiquidationEvent[] = [];
  private lastOrdinal = 0;
  private readonly identities = new Set<string>();

  add(event: LiquidationEvent): void {
    if (event.ordinal <= this.lastOrdinal) return;
    this.lastOrdinal = event.ordinal;
    const identity = identityOf(event);
    if (identity !== undefined && this.identities.has(identity)) return;
    if (identity !== undefined) this.identities.add(identity);
    let index = this.events.length;
    while (index > 0 && (this.events[index - 1]?.exchangeTsMs ?? 0) > event.exchangeTsMs) index -= 1;
    this.events.splice(index, 0, event);
    if (this.events.length > KEPT_MAX) this.drop(1);
  }

  /** Forgets what is older than the longest window. */
  forgetBefore(feedClockMs: number): void {
    const fromMs = feedClockMs - LIQUIDATIONS_KEPT_MS;
    const kept = this.events.findIndex(({ exchangeTsMs }) => exchangeTsMs > fromMs);
    this.drop(kept === -1 ? this.events.length : kept);
  }

  /** Those after an instant. `contractValue`: quote currency value of one contract, on inverse contracts. */
  since(fromMs: number, contractValue: string | undefined): LiquidationSummary {
    const liquidations: Liquidation[] = [];
    let longNotional = '0';
    let shortNotional = '0';
    let largest: Liquidation | undefined;
    for (let index = this.events.length - 1; index >= 0; index -= 1) {
      const event = this.events[index] as LiquidationEvent;
      if (event.exchangeTsMs <= fromMs) break;
      const notional = notionalOf(event, contractValue);
      const liquidation = { event, notional };
      liquidations.push(liquidation);
      if (event.positionSide === 'long') longNotional = addDecimals(longNotional, notional);
      else shortNotional = addDecimals(shortNotional, notional);
      if (largest === undefined || compareDecimals(largest.notional, notional) < 0) largest = liquidation;
    }
    return { liquidations, longNotional, shortNotional, largest };
  }

  /** All that are kept, in log order. */
  all(): LiquidationEvent[] {
    return this.events.toSorted((a, b) => a.ordinal - b.ordinal);
  }

  get length(): number {
    return this.events.length;
  }

  private drop(total: number): void {
    for (const event of this.events.splice(0, total)) this.identities.delete(identityOf(event) ?? '');
  }
}

function notionalOf({ price, size, venueSize }: LiquidationEvent, contractValue: string | undefined): string {
  return venueSize !== undefined && contractValue !== undefined
    ? multiplyDecimals(venueSize, contractValue)
    : multiplyDecimals(price, size);
}

/** Undefined where the venue gives no id: then two that look alike are two. */
function identityOf({ pass, venueId }: LiquidationEvent): string | undefined {
  return venueId === '' ? undefined : `${pass}:${venueId}`;
}
