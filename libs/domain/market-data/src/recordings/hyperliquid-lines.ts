import type { Channel } from '../event';
import { hyperliquidInstrument, hyperliquidSymbolOf } from '../hyperliquid/instrument';
import type { HyperliquidMessage } from '../hyperliquid/message';
import { HyperliquidNormalizer } from '../hyperliquid/normalizer';
import { parseFrame, readFrame } from '../hyperliquid/parse-frame';
import type { PlayedInstrument } from '../played-instrument';
import { isObject, parseObject } from '../json';
import { rejected } from '../not-taken';
import { isOversized } from '../oversized';
import { isoToMs } from '../receive-time';
import { readRecordingLine } from '../recording-line';
import { type LineFormat, oneOrNone } from './line-format';
import { checkNanoseconds } from './receive-times';

const WS_LINE = /^[0-9]{16,20} \{(?:"channel":|"data":)/;
const ARCHIVE_LINE = /^\{"time":"([^"]{1,40})","ver_num":[0-9]{1,9},"raw":\{"channel":/;
const COIN = /"coin":"([^"]{1,40})"/;
/** Candles have their own word for the coin. */
const CANDLE_COIN = /"channel":"candle",.{0,200}?"s":"([^"]{1,40})"/;
const CONTEXT = '"activeAssetCtx"';
/**
 * What the simulated venue alone sends: liquidations, and that they were subscribed to. A refusal quotes a subscription with its quotes
 * escaped.
 */
const SIMULATED = /"channel":"simLiquidations"|"channel":"subscriptionResponse".{0,200}?"type":"simLiquidations"/;

function coinsOf(line: string): readonly string[] {
  const coin = (COIN.exec(line) ?? CANDLE_COIN.exec(line))?.[1];
  return coin === undefined ? [] : [coin];
}

/** A connection subscribes to books and trades; to context where such a frame shows it. */
function channelsOf(head: readonly string[]): readonly Channel[] {
  return head.some((line) => line.includes(CONTEXT)) ? ['book', 'trade', 'context'] : ['book', 'trade'];
}

/** Who sent the frames is told by the first lines: frames of the simulated venue stay marked as its own, in whatever file they stand. */
function wsFacts(symbol: string, coin: string, head: readonly string[]): PlayedInstrument {
  const channels = channelsOf(head);
  if (!head.some((line) => SIMULATED.test(line))) return hyperliquidInstrument(symbol, coin, channels);
  return { ...hyperliquidInstrument(symbol, coin, [...channels, 'liquidation']), venue: 'simulated' };
}

export const hyperliquidWsLines: LineFormat<HyperliquidMessage> = {
  id: 'hyperliquid-ws',
  title: 'Hyperliquid WebSocket frames: receive time in nanoseconds, then the frame',
  example: '1737918843893903000 {"channel":"l2Book","data":{"coin":"BTC","levels":[[{"n":5,"px":"105055.0",…}]]}}',
  matches: (line) => WS_LINE.test(line),
  instrumentsOf: coinsOf,
  symbolsOf: (name) => oneOrNone(hyperliquidSymbolOf(name)),
  factsOf: wsFacts,
  readerOf: (coin) => (line) => {
    const read = readRecordingLine(line);
    return read && { receivedMs: read.receivedMs, message: parseFrame(read.text, read.messageStart, coin) };
  },
  check: checkNanoseconds,
  exchangeTimesOf: hyperliquidTimesOf,
  normalizerOf: (place, log) => new HyperliquidNormalizer(place, log),
};

export const hyperliquidArchiveLines: LineFormat<HyperliquidMessage> = {
  id: 'hyperliquid-archive',
  title: "Hyperliquid's public archive of books: the node's time, then the frame; no trades",
  example: '{"time":"2024-01-01T12:00:01.138942031","ver_num":1,"raw":{"channel":"l2Book","data":{"coin":"BTC",…}}}',
  matches: (line) => ARCHIVE_LINE.test(line),
  instrumentsOf: coinsOf,
  symbolsOf: (name) => oneOrNone(hyperliquidSymbolOf(name)),
  factsOf: (symbol, coin) => hyperliquidInstrument(symbol, coin, ['book']),
  readerOf: (coin) => (line) => {
    const receivedMs = isoToMs(ARCHIVE_LINE.exec(line)?.[1]);
    if (receivedMs === undefined) return undefined;
    if (isOversized(line)) return { receivedMs, message: rejected('oversized_frame') };
    const raw = parseObject(line)?.['raw'];
    return { receivedMs, message: isObject(raw) ? readFrame(raw, coin) : rejected('broken_json') };
  },
  exchangeTimesOf: hyperliquidTimesOf,
  normalizerOf: (place, log) => new HyperliquidNormalizer(place, log),
};

/** Of books, trades and liquidations. */
export function hyperliquidTimesOf(message: HyperliquidMessage): readonly number[] {
  if (message.type === 'book') return [message.timeMs];
  if (message.type === 'liquidations') return message.liquidations.flatMap((each) => (each.type === 'liquidation' ? [each.timeMs] : []));
  return message.type === 'trades' ? message.trades.flatMap((trade) => (trade.type === 'trade' ? [trade.timeMs] : [])) : [];
}
