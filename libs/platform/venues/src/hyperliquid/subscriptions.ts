import type { BookStream } from '../message-queue';

/**
 * The subscriptions for every coin. Only the simulated venue has `simLiquidations`; its acknowledgement comes before anything else of
 * the coin and marks a recording as simulated.
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

/** Pushes of complete books and of best prices: a newer one replaces an older one. */
export function bookOf(text: string): BookStream | undefined {
  const [, stream, instrument] = BOOK.exec(text.slice(0, 300)) ?? [];
  return stream === undefined || instrument === undefined ? undefined : { stream, instrument };
}
