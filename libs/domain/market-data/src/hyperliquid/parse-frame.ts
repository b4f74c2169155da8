import { isCount, isObject, type Json, parseJson } from '../json';
import { IGNORED, rejected } from '../not-taken';
import { isOversized } from '../oversized';
import type { HyperliquidMessage } from './message';
import { readAnswer } from './read-answer';
import { readBestPrices, readBook } from './read-book';
import { readContext, readLiquidations, readTrades } from './read-rows';

/** Channels that the log has no use for, and the connection's own answers. */
const UNUSED_CHANNELS: readonly unknown[] = ['allMids', 'allDexsAssetCtxs', 'user', 'subscriptionResponse', 'pong', 'error'];
/** The candles that are looked at; others are not subscribed to. */
const CANDLE_INTERVAL = '1m';

/**
 * Reads what Hyperliquid sent, from `start` on: a WebSocket frame or an answer of its `info` route, of one coin; what is of other coins is
 * for another normalizer and ignored. Never throws.
 */
export function parseFrame(text: string, start: number, coin: string): HyperliquidMessage {
  if (isOversized(text, start)) return rejected('oversized_frame');
  const value = parseJson(start === 0 ? text : text.slice(start));
  if (Array.isArray(value) || (isObject(value) && !('channel' in value))) return readAnswer(value, coin);
  return isObject(value) ? readFrame(value, coin) : rejected('broken_json');
}

/** The same for a WebSocket frame that is parsed already. */
export function readFrame({ channel, data }: Json, coin: string): HyperliquidMessage {
  if (UNUSED_CHANNELS.includes(channel)) return IGNORED;
  if (channel === 'trades') return readTrades(data, coin, false);
  if (channel === 'simLiquidations') return readLiquidations(data, coin);
  if (channel === 'candle') return readCandle(data, coin);
  if (!isObject(data) || typeof data['coin'] !== 'string') return rejected('unknown_message');
  if (data['coin'] !== coin) return IGNORED;
  switch (channel) {
    case 'l2Book':
      return readBook(data);
    case 'bbo':
      return readBestPrices(data);
    case 'activeAssetCtx':
      return readContext(data['ctx']);
    default:
      return rejected('unknown_message');
  }
}

function readCandle(candle: unknown, coin: string): HyperliquidMessage {
  if (!isObject(candle)) return rejected('unknown_message');
  const { s, i, t: startMs, T: endMs, n: tradeCount } = candle;
  if (typeof s !== 'string' || typeof i !== 'string' || !isCount(startMs) || !isCount(endMs) || !isCount(tradeCount))
    return rejected('unknown_message');
  return s === coin && i === CANDLE_INTERVAL ? { type: 'candle', startMs, tradeCount } : IGNORED;
}
