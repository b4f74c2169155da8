import type { Channel, MarketEvent } from '../src/index';
import { FeedClock } from '../src/normalizer';
import { hyperliquidInstrument } from '../src/hyperliquid/venue';
import { HyperliquidNormalizer } from '../src/hyperliquid/normalizer';
import { parseFrame } from '../src/hyperliquid/parse-frame';
import { LogWriter } from '../src/log-writer';

/** Start of every test: 2023-11-14T22:14:00Z, a whole minute. */
export const START_MS = 1_700_000_040_000;

interface LiveCoin {
  readonly normalizer: HyperliquidNormalizer;
  /** Receives text `atMs` after the start, after the ticks due before it. */
  receive(atMs: number, ...texts: readonly string[]): void;
  /** Entries since the last call without ticks, one line each, with times from the start. */
  logged(): string[];
  /** Same, as events. */
  events(): readonly MarketEvent[];
  counts(): Record<string, number>;
}

/** BTC normalizer with a feed clock that the test advances: live, or a recording with `pass`. */
export function liveCoin({ pass = 0, channels = ['book', 'trade', 'context'] as readonly Channel[] } = {}): LiveCoin {
  const place = { instrument: hyperliquidInstrument('BTCUSD-PERP', 'BTC', channels), pass, epoch: 1, firstOrdinal: 1 };
  const log = new LogWriter(place, false);
  const normalizer = new HyperliquidNormalizer(place, log);
  const clock = new FeedClock(log, normalizer, START_MS);
  const events = (): readonly MarketEvent[] => log.take().map(({ event }) => event);
  return {
    normalizer,
    receive(atMs, ...texts) {
      clock.advanceTo(START_MS + atMs);
      for (const text of texts) normalizer.accept(parseFrame(text, 0, 'BTC'));
    },
    events,
    logged: () => events().flatMap((event) => (event.kind === 'tick' ? [] : [lineOf(event)])),
    counts: () => Object.fromEntries(Object.entries(normalizer.rejections).filter(([, count]) => count > 0)),
  };
}

function lineOf(event: MarketEvent): string {
  const at = event.exchangeTsMs - START_MS;
  switch (event.kind) {
    case 'book':
      return `book ${at} #${event.venueId.replace(String(event.exchangeTsMs), '')} ${prices(event.bids)} | ${prices(event.asks)}`;
    case 'trade':
      return `trade ${at} #${event.venueId}`;
    case 'liquidation':
      return `liquidation ${at} #${event.venueId} ${event.positionSide} ${event.size} @ ${event.price}`;
    case 'feed_status': {
      const { status } = event;
      if (status.type !== 'gap' && status.type !== 'resynced') return status.type;
      const end = status.endMs === 0 ? 'open' : String(status.endMs - START_MS);
      return (
        `${status.type} ${status.channel ?? 'all'} ` +
        `${status.startMs - START_MS}..${end}${status.type === 'gap' ? ` ${status.reason}` : ''}`
      );
    }
    case 'context':
      return `context ${at} #${event.venueId} ${event.fundingRate}`;
    case 'tick':
      return 'tick';
  }
}

function prices(levels: readonly { readonly price: string; readonly size: string }[]): string {
  return levels.map(({ price, size }) => (size === '1' ? price : `${price}x${size}`)).join(' ');
}

type Level = number | readonly [price: number, size: number];

function levelsOf(levels: readonly Level[]): object[] {
  return levels.map((level) =>
    typeof level === 'number' ? { px: level.toFixed(1), sz: '1.0', n: 1 } : { px: level[0].toFixed(1), sz: String(level[1]), n: 1 },
  );
}

export function bookFrame(atMs: number, bids: readonly Level[], asks: readonly Level[], coin = 'BTC'): string {
  return JSON.stringify({ channel: 'l2Book', data: { coin, time: START_MS + atMs, levels: [levelsOf(bids), levelsOf(asks)] } });
}

/** Same, as an `info` response. */
export function bookAnswer(atMs: number, bids: readonly Level[], asks: readonly Level[]): string {
  return JSON.stringify({ coin: 'BTC', time: START_MS + atMs, levels: [levelsOf(bids), levelsOf(asks)] });
}

export function bestFrame(atMs: number, bid: Level | null, ask: Level | null): string {
  const side = (level: Level | null): unknown => (level === null ? null : levelsOf([level])[0]);
  return JSON.stringify({ channel: 'bbo', data: { coin: 'BTC', time: START_MS + atMs, bbo: [side(bid), side(ask)] } });
}

export function tradeRow(atMs: number, tid: number): object {
  return { coin: 'BTC', side: 'B', px: '100.0', sz: '0.5', time: START_MS + atMs, hash: '0x00', tid, users: ['0x1', '0x2'] };
}

export function tradesFrame(...rows: readonly object[]): string {
  return JSON.stringify({ channel: 'trades', data: rows });
}

export function candleFrame(minute: number, n: number): string {
  const t = START_MS + minute * 60_000;
  return JSON.stringify({ channel: 'candle', data: { t, T: t + 59_999, s: 'BTC', i: '1m', o: '1', c: '1', h: '1', l: '1', v: '1', n } });
}

/** `count` prices, one apart, starting at the best. */
export function ladder(best: number, away: 1 | -1, count: number): number[] {
  return Array.from({ length: count }, (_, place) => best + away * place);
}
