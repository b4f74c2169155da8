import fc from 'fast-check';
import type { MarketEvent } from '@market-state/market-data';
import { LogBuilder, type Level } from '../log-builder';

const SCRIPT_START_MS = 1_700_000_100_000;

/** `atMs` counts from the window's start, 1 to 10,000. */
type Happening = { readonly atMs: number } & (
  | {
      readonly kind: 'book';
      readonly mid: number;
      readonly halfSpread: number;
      readonly bidSizes: readonly number[];
      readonly askSizes: readonly number[];
    }
  | { readonly kind: 'trade'; readonly buy: boolean; readonly size: number; readonly offset: number }
  | { readonly kind: 'context'; readonly fundingRate: number; readonly openInterest: number }
  | { readonly kind: 'liquidation'; readonly long: boolean; readonly size: number; readonly proxy: boolean }
  | { readonly kind: 'gap'; readonly channel: 'book' | 'trade' | 'liquidation' | undefined; readonly lengthMs: number }
  | { readonly kind: 'disconnect' }
  | { readonly kind: 'reconnect' }
);

/** Windows of ten seconds. */
export type MarketScript = readonly (readonly Happening[])[];

const atMs = fc.integer({ min: 1, max: 10_000 });
const size = fc.integer({ min: 1, max: 40 });
const sizes = fc.array(size, { minLength: 1, maxLength: 6 });

const book = fc.record({
  kind: fc.constant('book' as const),
  atMs,
  mid: fc.integer({ min: 4_000, max: 4_008 }),
  halfSpread: fc.integer({ min: 1, max: 4 }),
  bidSizes: sizes,
  askSizes: sizes,
});
const trade = fc.record({ kind: fc.constant('trade' as const), atMs, buy: fc.boolean(), size, offset: fc.integer({ min: -6, max: 6 }) });
const context = fc.record({
  kind: fc.constant('context' as const),
  atMs,
  fundingRate: fc.integer({ min: -8, max: 8 }).map((units) => units / 65_536),
  openInterest: fc.integer({ min: 900, max: 1_100 }),
});
const liquidation = fc.record({ kind: fc.constant('liquidation' as const), atMs, long: fc.boolean(), size, proxy: fc.boolean() });
const trouble = fc.oneof(
  fc.record({
    kind: fc.constant('gap' as const),
    atMs,
    channel: fc.constantFrom('book' as const, 'trade' as const, 'liquidation' as const, undefined),
    lengthMs: fc.integer({ min: 0, max: 20_000 }),
  }),
  fc.record({ kind: fc.constant('disconnect' as const), atMs }),
  fc.record({ kind: fc.constant('reconnect' as const), atMs }),
);

const market = fc.oneof(
  { weight: 8, arbitrary: book },
  { weight: 10, arbitrary: trade },
  { weight: 1, arbitrary: context },
  { weight: 1, arbitrary: liquidation },
);

/** Windows of a market, most with books and trades, some with trouble. */
export const marketScript: fc.Arbitrary<MarketScript> = fc.array(
  fc
    .tuple(
      fc.array(market, { minLength: 0, maxLength: 12 }),
      fc.oneof({ weight: 6, arbitrary: fc.constant([]) }, { weight: 1, arbitrary: trouble.map((one) => [one]) }),
    )
    .map(([happenings, troubles]) => [...happenings, ...troubles].sort((a, b) => a.atMs - b.atMs)),
  { minLength: 2, maxLength: 8 },
);

/** Rendering of a script: prices and sizes scaled by powers of two, or mirrored about its mids. */
export interface Telling {
  readonly priceScale: number;
  readonly sizeScale: number;
  readonly mirrored: boolean;
}

const PLAIN: Telling = { priceScale: 1, sizeScale: 1, mirrored: false };

/** Log of a script: each window's entries, then ticks up to the one that closes it. */
export function writeScript(script: MarketScript, telling: Partial<Telling> = {}): MarketEvent[] {
  const writer = new ScriptWriter(telling);
  writer.write(script);
  return writer.log.events;
}

/** Appends scripts to one log. */
export class ScriptWriter {
  private readonly telling: Telling;
  private mid = 4_000;
  private booked = false;
  private gaps = 0;
  private windows = 0;

  constructor(
    telling: Partial<Telling> = {},
    readonly log = new LogBuilder(SCRIPT_START_MS - 10_000).connected().tick(SCRIPT_START_MS - 9_900),
  ) {
    this.telling = { ...PLAIN, ...telling };
  }

  /** Independent writer that continues from here. */
  branch(): ScriptWriter {
    const other = new ScriptWriter(this.telling, this.log.copy());
    other.mid = this.mid;
    other.booked = this.booked;
    other.gaps = this.gaps;
    other.windows = this.windows;
    return other;
  }

  write(script: MarketScript): this {
    for (const happenings of script) {
      const startMs = SCRIPT_START_MS + (this.windows++ - 1) * 10_000;
      for (const happening of happenings) this.happen(happening, startMs + happening.atMs);
      this.log.tick(startMs + 10_000).tick(startMs + 11_000);
    }
    return this;
  }

  private happen(happening: Happening, tsMs: number): void {
    const { log, telling } = this;
    const { priceScale, sizeScale, mirrored } = telling;
    switch (happening.kind) {
      case 'book': {
        this.mid = happening.mid;
        this.booked = true;
        const side = (sizes: readonly number[], sign: number): Level[] =>
          sizes.map((size, depth) => [(this.mid + sign * (happening.halfSpread + 2 * depth)) * 0.5 * priceScale, size * sizeScale]);
        const [bids, asks] = mirrored ? [happening.askSizes, happening.bidSizes] : [happening.bidSizes, happening.askSizes];
        log.book(tsMs, side(bids, -1), side(asks, 1));
        break;
      }
      case 'trade': {
        // Without a book there is no mid to mirror about.
        const price = (this.mid + (mirrored && this.booked ? -happening.offset : happening.offset)) * 0.5 * priceScale;
        log.trade(tsMs, happening.buy === mirrored ? 'sell' : 'buy', price, happening.size * sizeScale);
        break;
      }
      case 'context':
        log.context(tsMs, { fundingRate: String(happening.fundingRate), openInterest: String(happening.openInterest * sizeScale) });
        break;
      case 'liquidation':
        log.liquidation(
          tsMs,
          happening.long === mirrored ? 'short' : 'long',
          this.mid * 0.5 * priceScale,
          happening.size * sizeScale,
          happening.proxy ? 'proxy' : 'venue_reported',
        );
        break;
      case 'gap':
        log.gap(`gap_${++this.gaps}`, happening.channel, tsMs, happening.lengthMs === 0 ? 0 : tsMs + happening.lengthMs);
        break;
      case 'disconnect':
        log.status({ type: 'disconnected', reason: 'test' });
        break;
      case 'reconnect':
        log.connected();
        break;
    }
  }
}
