import type { PeekedFile } from './peeked-file';
import { RecordingError } from './recording-errors';

const RECORD = 'record perpetuals from wss://fstream.binance.com (USD-M) or wss://dstream.binance.com (COIN-M)';

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
  const start = line.indexOf('"data":{');
  if (start < 0) return undefined;
  if (line.startsWith('"e":"depthUpdate"', start + 8)) return line.includes('"pu":', start) ? undefined : 'a depth update without pu';
  if (line.startsWith('"e":"trade"', start + 8) || line.startsWith('"e":"aggTrade"', start + 8))
    return line.includes('"M":', start) ? 'a trade with M' : undefined;
  return line.startsWith('"lastUpdateId":', start + 8) && /@depth(?:5|10|20)/.test(line.slice(0, start))
    ? 'a partial book without a time'
    : undefined;
}
