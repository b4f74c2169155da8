import type { BookLevel } from '@market-state/market-data';
import type { BookSide, Fill } from './book-side';
import type { SimulatedInstrument } from './instrument';
import type { BookMessage, ContextMessage, LiquidationMessage, TradeMessage } from './message';

const CACHED_MAX = 65_536;

/** Caches the texts. */
export function decimalWriter(decimals: number): (units: number) => string {
  const texts: (string | undefined)[] = [];
  return (units) => {
    if (units >= CACHED_MAX) return decimalText(units, decimals);
    return (texts[units] ??= decimalText(units, decimals));
  };
}

/** `units` × 10^−decimals in plain notation without trailing zeros; `units` is an integer of either sign. */
export function decimalText(units: number, decimals: number): string {
  const sign = units < 0 ? '-' : '';
  const digits = String(Math.abs(units)).padStart(decimals + 1, '0');
  const whole = digits.slice(0, digits.length - decimals);
  const fraction = digits.slice(digits.length - decimals).replace(/0+$/, '');
  return fraction === '' ? `${sign}${whole}` : `${sign}${whole}.${fraction}`;
}

const LEVELS_PUBLISHED = 25;
const FUNDING_DECIMALS = 10;
const VOLUME_DECIMALS = 2;

interface ContextFacts {
  readonly fundingRate: number;
  /** Base units. */
  readonly openInterest: number;
  readonly markTicks: number;
  readonly oracleTicks: number;
  readonly bestTicksSum: number;
}

export class Publisher {
  private readonly priceText: (ticks: number) => string;
  private readonly sizeText: (lots: number) => string;
  private readonly lotsPerUnit: number;
  private bookId = 0;
  private tradeId = 0;
  private liquidationId = 0;
  private volume = 0;

  constructor(private readonly instrument: SimulatedInstrument) {
    this.priceText = decimalWriter(instrument.tickDecimals);
    this.sizeText = decimalWriter(instrument.lotDecimals);
    this.lotsPerUnit = 10 ** instrument.lotDecimals;
  }

  /** @param idStep book changes since the last message */
  book(tsMs: number, bids: BookSide, asks: BookSide, idStep: number): BookMessage {
    const textOf = (tick: number, lots: number): BookLevel => ({ price: this.priceText(tick), size: this.sizeText(lots) });
    this.bookId += idStep;
    return {
      kind: 'book',
      tsMs,
      id: this.bookId,
      bids: bids.published(LEVELS_PUBLISHED, textOf),
      asks: asks.published(LEVELS_PUBLISHED, textOf),
    };
  }

  trade(tsMs: number, { tick, lots }: Fill, aggressorSide: 'buy' | 'sell'): TradeMessage {
    this.volume += (tick / 10 ** this.instrument.tickDecimals) * (lots / this.lotsPerUnit);
    return { kind: 'trade', tsMs, id: ++this.tradeId, price: this.priceText(tick), size: this.sizeText(lots), aggressorSide };
  }

  liquidation(tsMs: number, { tick, lots }: Fill, positionSide: 'long' | 'short'): LiquidationMessage {
    return { kind: 'liquidation', tsMs, id: ++this.liquidationId, positionSide, price: this.priceText(tick), size: this.sizeText(lots) };
  }

  context(tsMs: number, facts: ContextFacts): ContextMessage {
    const { tickDecimals, lotDecimals } = this.instrument;
    return {
      kind: 'context',
      tsMs,
      fundingRate: decimalText(Math.round(facts.fundingRate * 10 ** FUNDING_DECIMALS), FUNDING_DECIMALS),
      openInterest: decimalText(Math.round(facts.openInterest * this.lotsPerUnit), lotDecimals),
      markPrice: this.priceText(Math.round(facts.markTicks)),
      oraclePrice: this.priceText(Math.round(facts.oracleTicks)),
      midPrice: decimalText(facts.bestTicksSum * 5, tickDecimals + 1),
      dayVolume: decimalText(Math.round(this.volume * 10 ** VOLUME_DECIMALS), VOLUME_DECIMALS),
    };
  }
}
