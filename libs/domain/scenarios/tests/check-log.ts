import { isDeepStrictEqual } from 'node:util';
import { decodeEvent, encodeEvent, type BookEvent, type BookLevel, type MarketEvent } from '@market-state/market-data';

const PLAIN = /^(0|[1-9][0-9]*)(\.[0-9]*[1-9])?$/;
const TICK_MS = 250;

interface LogShape {
  readonly total: number;
  /** Distances between ticks over 250 ms. */
  readonly tickJumpsMs: readonly number[];
  /** Data events after one with a later exchange time. */
  readonly outOfOrder: number;
}

/** Checks a log to its end. @throws Error naming the first event that violates an invariant */
export function checkLog(events: Iterable<MarketEvent>): LogShape {
  let total = 0;
  let receivedMs = 0;
  let pass = 0;
  let tickMs = 0;
  let exchangeMs = 0;
  let outOfOrder = 0;
  const tickJumpsMs: number[] = [];
  for (const event of events) {
    total++;
    must(event.ordinal === total, 'ordinals rise by one from one', event);
    must(event.venue === 'simulated' && event.epoch === 1, 'every entry names the simulated venue', event);
    must(event.receivedTsMs >= receivedMs, 'entries come in the order of their receive times', event);
    must(event.exchangeTsMs <= event.receivedTsMs, 'nothing is received before it happens', event);
    must(event.pass === pass || event.pass === pass + 1, 'the pass rises by one', event);
    must(total > 1 || (event.kind === 'feed_status' && event.status.type === 'connected'), 'a log begins with connected', event);
    ({ receivedTsMs: receivedMs, pass } = event);
    checkFacts(event);
    if (event.kind === 'tick') {
      must(event.feedClockMs % TICK_MS === 0 && event.feedClockMs > tickMs, 'ticks rise by 250 ms', event);
      if (tickMs > 0 && event.feedClockMs - tickMs !== TICK_MS) tickJumpsMs.push(event.feedClockMs - tickMs);
      tickMs = event.feedClockMs;
    } else if (event.kind !== 'feed_status') {
      if (event.exchangeTsMs < exchangeMs) outOfOrder++;
      exchangeMs = Math.max(exchangeMs, event.exchangeTsMs);
    }
  }
  return { total, tickJumpsMs, outOfOrder };
}

/** @throws Error if the event does not survive encoding */
export function checkCodec(event: MarketEvent): void {
  must(isDeepStrictEqual(decodeEvent(encodeEvent(event)), event), 'an entry is what its encoding says', event);
}

function checkFacts(event: MarketEvent): void {
  switch (event.kind) {
    case 'book':
      return checkBook(event);
    case 'trade':
    case 'liquidation':
      return must(positive(event.price) && positive(event.size), 'prices and sizes are positive plain decimals', event);
    case 'context': {
      const { fundingRate = '', openInterest = '', markPrice = '', oraclePrice = '', midPrice = '', dayVolume = '' } = event;
      must([openInterest, markPrice, oraclePrice, midPrice].every(positive), 'contract facts are positive plain decimals', event);
      return must(PLAIN.test(dayVolume) && PLAIN.test(fundingRate.replace('-', '')), 'contract facts are plain decimals', event);
    }
    case 'feed_status':
      return must(event.status.type !== 'connected' || event.status.sourceKind === 'simulated', 'the source is simulated', event);
    case 'tick':
      return must(event.exchangeTsMs === event.feedClockMs, 'a tick is stamped with its clock', event);
  }
}

function checkBook(event: BookEvent): void {
  const { bids, asks } = event;
  must(bids.length === 25 && asks.length === 25, 'a book has 25 levels a side', event);
  must(
    [...bids, ...asks].every(({ price, size }) => positive(price) && positive(size)),
    'levels are positive plain decimals',
    event,
  );
  must(rising([...bids].reverse()) && rising(asks), 'sides are sorted, best first', event);
  must(Number(bids[0]?.price) < Number(asks[0]?.price), 'a book is not crossed', event);
}

function rising(levels: readonly BookLevel[]): boolean {
  return levels.every(({ price }, place) => place === 0 || Number(price) > Number(levels[place - 1]?.price));
}

function positive(text: string): boolean {
  return PLAIN.test(text) && Number(text) > 0;
}

function must(holds: boolean, law: string, event: MarketEvent): void {
  if (!holds) throw new Error(`${law}: ${JSON.stringify(event)}`);
}
