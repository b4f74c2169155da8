import { isObject, type Json } from '../json';
import { IGNORED, rejected } from '../not-taken';
import { positiveDecimal } from '../positive-decimal';
import type { HyperliquidMessage } from './message';
import { readBook } from './read-book';
import { readContext, readFunding, readTrades } from './read-rows';

/**
 * Reads an answer of the `info` route, told by its shape: `l2Book`, `recentTrades`, `fundingHistory` and `metaAndAssetCtxs` of one coin;
 * `meta`, `allMids`, `candleSnapshot` and fills of users are known and have nothing for the log. An empty list is one of no trades: it may
 * answer any question for rows, and says nothing else.
 */
export function readAnswer(answer: Json | readonly unknown[], coin: string): HyperliquidMessage {
  return isList(answer) ? readList(answer, coin) : readObject(answer, coin);
}

function isList(answer: Json | readonly unknown[]): answer is readonly unknown[] {
  return Array.isArray(answer);
}

function readObject(answer: Json, coin: string): HyperliquidMessage {
  if ('levels' in answer && typeof answer['coin'] === 'string') return answer['coin'] === coin ? asAnswer(readBook(answer)) : IGNORED;
  if (Array.isArray(answer['universe'])) return IGNORED;
  const prices = Object.values(answer);
  return prices.length > 0 && prices.every((price) => positiveDecimal(price) !== undefined) ? IGNORED : rejected('unknown_message');
}

function asAnswer(message: HyperliquidMessage): HyperliquidMessage {
  return message.type === 'book' ? { ...message, isAnswer: true } : message;
}

function readList(answer: readonly unknown[], coin: string): HyperliquidMessage {
  const [first, second] = answer;
  if (first === undefined) return readTrades(answer, coin, true);
  if (!isObject(first)) return rejected('unknown_message');
  if (Array.isArray(first['universe'])) return readUniverse(first['universe'] as unknown[], second, coin);
  if ('fundingRate' in first) return readFunding(answer, coin);
  if ('closedPnl' in first) return IGNORED;
  if ('tid' in first) return readTrades(answer, coin, true);
  return 'T' in first && 'i' in first ? IGNORED : rejected('unknown_message');
}

/** Contexts stand in the order of the universe. */
function readUniverse(universe: readonly unknown[], contexts: unknown, coin: string): HyperliquidMessage {
  if (!Array.isArray(contexts)) return rejected('unknown_message');
  const index = universe.findIndex((asset) => isObject(asset) && asset['name'] === coin);
  return index < 0 ? IGNORED : readContext((contexts as unknown[])[index]);
}
