import { addDecimals, compareDecimals, type LiquidationEvent, multiplyDecimals } from '@market-state/market-data';

const LIQUIDATIONS_KEPT_MS = 3_600_000;
/** 28 a second for an hour. */
const KEPT_MAX = 100_000;

/** Notional is exact, in quote currency. */
export interface Liquidation {
  readonly event: LiquidationEvent;
  readonly notional: string;
}

export interface LiquidationSummary {
  /** Newest first. */
  readonly liquidations: readonly Liquidation[];
  readonly longNotional: string;
  readonly shortNotional: string;
  /** The newest on a tie. */
  readonly largest: Liquidation | undefined;
}

/** The last hour by exchange time, deduplicated. */
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

  forgetBefore(feedClockMs: number): void {
    const fromMs = feedClockMs - LIQUIDATIONS_KEPT_MS;
    const kept = this.events.findIndex(({ exchangeTsMs }) => exchangeTsMs > fromMs);
    this.drop(kept === -1 ? this.events.length : kept);
  }

  /** `contractValue`: quote currency value of one contract, on inverse contracts. */
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

  /** In log order. */
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

/** Without a venue id, identical ones are distinct. */
function identityOf({ pass, venueId }: LiquidationEvent): string | undefined {
  return venueId === '' ? undefined : `${pass}:${venueId}`;
}
