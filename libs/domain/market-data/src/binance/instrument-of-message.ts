const STREAM = /^\{"stream":"([a-z0-9_]{1,40})@/;

/**
 * The venue's name of the instrument that a live message of Binance speaks of, from the envelope's stream: `BTCUSD_PERP`. Undefined
 * for a message of the connection itself, as the acknowledgement of a subscription. Never throws.
 */
export function binanceInstrumentOf(text: string): string | undefined {
  return STREAM.exec(text.slice(0, 64))?.[1]?.toUpperCase();
}
