import type { BookStream } from '../message-queue';

/**
 * What is subscribed to for every coin. `simLiquidations` is no channel of the venue: the simulated one has it, and its acknowledgement,
 * which so comes before all else of the coin, tells a recording of it from one of the venue.
 */
export function subscriptionsOf(coin: string, simulated: boolean): readonly object[] {
  return [
    ...(simulated ? [{ type: 'simLiquidations', coin }] : []),
    { type: 'l2Book', coin },
    { type: 'l2Book', coin, fast: true },
    { type: 'bbo', coin },
    { type: 'trades', coin },
    { type: 'activeAssetCtx', coin },
    { type: 'candle', coin, interval: '1m' },
  ];
}

const BOOK = /^\{"channel":"(l2Book|bbo)","data":\{(?:[^[]{0,200}?)"coin":"([^"]{1,40})"/;

/** Pushes of whole books and of best prices: a newer one says all that an older one did. */
export function bookOf(text: string): BookStream | undefined {
  const [, stream, instrument] = BOOK.exec(text.slice(0, 300)) ?? [];
  return stream === undefined || instrument === undefined ? undefined : { stream, instrument };
}
