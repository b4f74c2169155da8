import type { BestPrices } from '../audit/venue-answers';
import { positiveAsSent } from '../decimal-as-sent';
import { isCount, isObject, parseObject } from '../json';

/** The best prices that a line of a recording tells on the stream `bookTicker` of an instrument; undefined for any other line. */
export function bestPricesOf(line: string, venueInstrument: string): BestPrices | undefined {
  const start = line.indexOf(' ') + 1;
  if (!line.startsWith(`{"stream":"${venueInstrument.toLowerCase()}@bookTicker"`, start)) return undefined;
  const data = parseObject(line.slice(start))?.['data'];
  if (!isObject(data) || data['s'] !== venueInstrument) return undefined;
  const { u: id, T: timeMs, b, B, a, A } = data;
  const [bidPrice, bidSize, askPrice, askSize] = [b, B, a, A].map(positiveAsSent);
  if (!isCount(id) || !isCount(timeMs)) return undefined;
  if (bidPrice === undefined || bidSize === undefined || askPrice === undefined || askSize === undefined) return undefined;
  return { place: { by: 'id', value: id }, timeMs, bid: { price: bidPrice, size: bidSize }, ask: { price: askPrice, size: askSize } };
}
