import { ByteScan } from './byte-scan';
import type { BinanceMarket, DepthDiff } from './message';

const scan = new ByteScan();

/**
 * Reads the depth diff that `text` holds from `start` on, in exactly the layout that the venue sends (fields in its order, no
 * spaces), without parsing JSON: most of a recording is such messages. Anything else, however slightly different, gives
 * undefined and is left to the JSON parser, so the scanner never decides that input is bad.
 */
export function scanDiff(text: string, start: number, venueInstrument: string, market: BinanceMarket): DepthDiff | undefined {
  if (!scan.load(text, start)) return undefined;
  scan.literal('{"stream":"');
  scan.streamName();
  scan.literal('","data":{"e":"depthUpdate","E":');
  scan.integer();
  scan.literal(',"T":');
  const timeMs = scan.integer();
  scan.literal(',"s":"');
  scan.literal(venueInstrument);
  if (market === 'coinm') {
    scan.literal('","ps":"');
    scan.capitals();
  }
  scan.literal('","U":');
  const firstId = scan.integer();
  scan.literal(',"u":');
  const lastId = scan.integer();
  scan.literal(',"pu":');
  const previousLastId = scan.integer();
  scan.literal(',"b":[');
  const bids = scan.levels();
  scan.literal(',"a":[');
  const asks = scan.levels();
  scan.literal('}}');
  if (!scan.isDone) return undefined;
  return { type: 'depth', timeMs, firstId, lastId, previousLastId, bids, asks };
}
