import type { Channel } from '../event';
import { hyperliquidInstrument, hyperliquidName } from '../hyperliquid/venue';
import { type HyperliquidMessage, parseFrame } from '../hyperliquid/parse-frame';
import { HyperliquidNormalizer } from '../hyperliquid/normalizer';
import type { PlayedInstrument } from '../played-instrument';
import { isObject } from '../json';
import { readRecordingLine, recordedObject } from '../recording-line';
import type { LineFormat } from './line-format';
import { checkNanoseconds } from './receive-times';

/** Usual field order, which also matches truncated lines. Anything else is parsed. */
const WS_LINE = /^[0-9]{16,20}\s+\{\s*"channel"\s*:\s*"/;
const COIN = /"coin"\s*:\s*"([^"]{1,40})"/;
const CONTEXT = '"activeAssetCtx"';
const SIMULATED = 'simLiquidations';

function isWsLine(line: string): boolean {
  return WS_LINE.test(line) || typeof recordedObject(line)?.['channel'] === 'string';
}

function coinsOf(line: string): readonly string[] {
  const coin = COIN.exec(line)?.[1] ?? (line.includes('"candle"') ? candleCoin(line) : undefined);
  return coin === undefined ? [] : [coin];
}

function candleCoin(line: string): string | undefined {
  const { channel, data } = recordedObject(line) ?? {};
  return channel === 'candle' && isObject(data) && typeof data['s'] === 'string' ? data['s'] : undefined;
}

/**
 * Only the simulated venue sends liquidations and acknowledges a subscription to them. In a refusal the quotes are
 * escaped.
 */
function isSimulated(line: string): boolean {
  if (!line.includes(`"${SIMULATED}"`)) return false;
  const { channel, data } = recordedObject(line) ?? {};
  if (channel !== 'subscriptionResponse') return channel === SIMULATED;
  const subscription = isObject(data) ? data['subscription'] : undefined;
  return isObject(subscription) && subscription['type'] === SIMULATED;
}

function channelsOf(head: readonly string[]): readonly Channel[] {
  return head.some((line) => line.includes(CONTEXT)) ? ['book', 'trade', 'context'] : ['book', 'trade'];
}

function wsFacts(symbol: string, coin: string, head: readonly string[]): PlayedInstrument {
  const channels = channelsOf(head);
  if (!head.some(isSimulated)) return hyperliquidInstrument(symbol, coin, channels);
  return { ...hyperliquidInstrument(symbol, coin, [...channels, 'liquidation']), venue: 'simulated' };
}

export const hyperliquidWsLines: LineFormat<HyperliquidMessage> = {
  id: 'hyperliquid-ws',
  title: 'Hyperliquid WebSocket frames: receive time in nanoseconds, then the frame',
  example: '1737918843893903000 {"channel":"l2Book","data":{"coin":"BTC","levels":[[{"n":5,"px":"105055.0",…}]]}}',
  matches: isWsLine,
  instrumentsOf: coinsOf,
  venue: 'hyperliquid',
  parseName: hyperliquidName,
  factsOf: wsFacts,
  readerOf: (coin) => (line) => {
    const read = readRecordingLine(line);
    return read && { receivedMs: read.receivedMs, message: parseFrame(read.text, read.messageStart, coin) };
  },
  check: checkNanoseconds,
  exchangeTimesOf: hyperliquidTimesOf,
  normalizerOf: (place, log) => new HyperliquidNormalizer(place, log),
};

export function hyperliquidTimesOf(message: HyperliquidMessage): readonly number[] {
  if (message.type === 'book') return [message.timeMs];
  if (message.type === 'liquidations') return message.liquidations.flatMap((each) => (each.type === 'liquidation' ? [each.timeMs] : []));
  return message.type === 'trades' ? message.trades.flatMap((trade) => (trade.type === 'trade' ? [trade.timeMs] : [])) : [];
}
