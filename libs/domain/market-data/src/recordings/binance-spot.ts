import { isObject } from '../json';
import { recordedObject } from '../recording-line';
import type { PeekedFile } from './peeked-file';
import { RecordingError } from './recording-errors';

const RECORD = 'record perpetuals from wss://fstream.binance.com (USD-M) or wss://dstream.binance.com (COIN-M)';
const MAYBE_SPOT = /"(?:depthUpdate|M|lastUpdateId)"/;
const BEST_LEVELS = /@depth(?:5|10|20)/;

/**
 * Spot streams have the names of those of USD-M, and other messages.
 * @throws RecordingError naming the first line that is of spot
 */
export function checkNotSpot(files: readonly PeekedFile[]): void {
  for (const { name, head, headNumbers } of files) {
    for (const [index, line] of head.entries()) {
      const sign = signOfSpot(line);
      if (sign !== undefined)
        throw new RecordingError(`${name}:${headNumbers[index]}: this is Binance spot (${sign}), which is not labelled: ${RECORD}`);
    }
  }
}

/** What a line has that only spot sends: changes of the book without `pu` and `T`, trades with `M`, books of some levels without a time. */
function signOfSpot(line: string): string | undefined {
  // Most lines are futures' own, which need no parsing.
  if (!MAYBE_SPOT.test(line) || line.includes('"pu"')) return undefined;
  const { stream, data } = recordedObject(line) ?? {};
  if (!isObject(data)) return undefined;
  if (data['e'] === 'depthUpdate') return 'a depth update without pu';
  if (data['e'] === 'trade' || data['e'] === 'aggTrade') return 'M' in data ? 'a trade with M' : undefined;
  return 'lastUpdateId' in data && typeof stream === 'string' && BEST_LEVELS.test(stream) ? 'a partial book without a time' : undefined;
}
