import { type FeedStatus, instrumentRows, LivePlayer, type LiveStart, LogTailScan, type MarketEvent } from '../src/index';
import { DAY_MS, line } from './messages';

const instrument = instrumentRows.find(({ feed, symbol }) => feed === 'hyperliquid' && symbol === 'BTCUSD-PERP');
if (instrument === undefined) throw new Error('the table has no BTC of Hyperliquid');
const first: LiveStart = { epoch: 1, firstOrdinal: 1, opening: 'first', openingStartMs: 0, clockMs: DAY_MS };

function book(timeMs: number, bid = '100', ask = '101'): string {
  const level = (px: string) => [{ px, sz: '1', n: 1 }];
  return line(
    timeMs,
    JSON.stringify({ channel: 'l2Book', data: { coin: 'BTC', time: DAY_MS + timeMs, levels: [level(bid), level(ask)] } }),
  );
}

function trades(...each: readonly (readonly [timeMs: number, tid: number])[]): string {
  const data = each.map(([timeMs, tid]) => ({
    coin: 'BTC',
    side: 'B',
    px: '100',
    sz: '1',
    time: DAY_MS + timeMs,
    hash: '0x0',
    tid,
    users: ['0x0', '0x1'],
  }));
  return line(0, JSON.stringify({ channel: 'trades', data }));
}

/** Runs steps at their times and returns what they wrote. */
function played(player: LivePlayer, ...steps: readonly (readonly [atMs: number, step: string])[]): MarketEvent[] {
  for (const [atMs, step] of steps) {
    const nowMs = DAY_MS + atMs;
    if (step === 'connected') player.connected(nowMs);
    else if (step === 'lost') player.disconnected(nowMs, 'connection lost');
    else if (step === 'overflow') player.overflowed(nowMs);
    else if (step === 'time') player.advanceTo(nowMs);
    else player.accept(nowMs, step);
  }
  return player.take().map(({ event }) => event);
}

/** Gaps of all channels start a closing lag (2 s) before the newest time, since other channels may lag that much. */
function inShort(events: readonly MarketEvent[]): string[] {
  const span = ({ startMs, endMs }: { startMs: number; endMs: number }) => `${startMs - DAY_MS}..${endMs === 0 ? '' : endMs - DAY_MS}`;
  return events
    .filter(({ kind }) => kind !== 'tick')
    .map((event) => {
      if (event.kind !== 'feed_status') return `${event.kind} ${event.exchangeTsMs - DAY_MS}`;
      const { status } = event;
      if (status.type === 'gap') return `gap ${status.reason} ${status.channel ?? 'all'} ${span(status)}`;
      return status.type === 'resynced' ? `resynced ${status.channel ?? 'all'} ${span(status)}` : status.type;
    });
}

function gapIdsOf(events: readonly MarketEvent[]): string[] {
  const named = events.flatMap((event) => (event.kind === 'feed_status' ? [event.status] : []));
  return named.filter((status): status is Extract<FeedStatus, { gapId: string }> => 'gapId' in status).map(({ gapId }) => gapId);
}

it('ordinals rise by 1, the clock never goes back, and every quarter of a second has a tick, even if the wall clock jumps', () => {
  const player = new LivePlayer(instrument, first);
  const events = played(player, [0, 'connected'], [100, book(90)], [1_300, 'time'], [400, trades([380, 7])], [1_600, book(1_550)]);
  expect(events.map(({ ordinal }) => ordinal)).toEqual(events.map((_, index) => index + 1));
  const clocks = events.map(({ receivedTsMs }) => receivedTsMs - DAY_MS);
  expect(clocks).toEqual([...clocks].sort((a, b) => a - b));
  expect(events.flatMap((event) => (event.kind === 'tick' ? [event.feedClockMs - DAY_MS] : []))).toEqual([
    0, 250, 500, 750, 1_000, 1_250, 1_500,
  ]);
  expect(events.every(({ pass, epoch }) => pass === 0 && epoch === 1)).toBe(true);
});

it('a connection that ends leaves one gap, which a book and a trade known from before end as resynced; no trade comes twice', () => {
  const player = new LivePlayer(instrument, first);
  const events = played(
    player,
    [0, 'connected'],
    [100, book(90)],
    [150, trades([120, 7])],
    [200, 'lost'],
    [1_000, 'connected'],
    [1_100, book(1_050)],
    [1_200, trades([120, 7], [600, 8])],
  );
  expect(inShort(events)).toEqual([
    'connected',
    'book 90',
    'trade 120',
    'disconnected',
    'gap disconnected all -1880..',
    'connected',
    'book 1050',
    'trade 600',
    'resynced all -1880..1050',
  ]);
  expect(new Set(gapIdsOf(events)).size).toBe(1);
  expect(player.rejections.duplicate).toBe(1);
});

it('without a trade known from before the gap ends 5 s after the first book, as one that nothing made up for', () => {
  const player = new LivePlayer(instrument, first);
  const events = played(
    player,
    [0, 'connected'],
    [100, book(90)],
    [150, trades([120, 7])],
    [200, 'lost'],
    [1_000, 'connected'],
    [1_100, book(1_050)],
    [1_200, trades([600, 9], [610, 10])],
    [1_300, trades([600, 9], [620, 11])],
    [6_099, 'time'],
    [6_100, 'time'],
  );
  expect(inShort(events).slice(5)).toEqual([
    'connected',
    'book 1050',
    'trade 600',
    'trade 610',
    'trade 620',
    'gap disconnected all -1880..1050',
  ]);
  expect(new Set(gapIdsOf(events)).size).toBe(1);
});

it('a connection that ends before it has brought a book goes on with the same gap', () => {
  const player = new LivePlayer(instrument, first);
  const events = played(
    player,
    [0, 'connected'],
    [100, book(90)],
    [200, 'lost'],
    [300, 'connected'],
    [400, 'lost'],
    [500, 'connected'],
    [700, book(650)],
    [9_000, 'time'],
  );
  expect(inShort(events).slice(2)).toEqual([
    'disconnected',
    'gap disconnected all -1910..',
    'connected',
    'disconnected',
    'connected',
    'book 650',
    'gap disconnected all -1910..650',
  ]);
});

it('a connection whose first book is older than the gap leaves one up to when that book came', () => {
  const events = played(
    new LivePlayer(instrument, first),
    [0, 'connected'],
    [100, book(90)],
    [200, 'lost'],
    [700, 'connected'],
    [800, book(80)],
    [9_000, 'time'],
  );
  expect(inShort(events).slice(2)).toEqual([
    'disconnected',
    'gap disconnected all -1910..',
    'connected',
    'book 80',
    'gap disconnected all -1910..800',
  ]);
});

it('books that were let go are a gap of the books alone, up to the next book', () => {
  const player = new LivePlayer(instrument, first);
  const events = played(player, [0, 'connected'], [100, book(90)], [200, 'overflow'], [300, 'overflow'], [400, book(390)]);
  expect(inShort(events)).toEqual(['connected', 'book 90', 'gap overflow book 90..', 'resynced book 90..390', 'book 390']);
});

it('what is no message is counted by its reason and ends nothing', () => {
  const player = new LivePlayer(instrument, first);
  const events = played(
    player,
    [0, 'connected'],
    [1, line(1, '{')],
    [2, 'garbage'],
    [3, book(2, '102', '101')],
    [4, book(3, 'NaN')],
    [5, book(4)],
  );
  expect(inShort(events)).toEqual(['connected', 'book 4']);
  expect(player.rejections).toMatchObject({ broken_json: 1, broken_line: 1, crossed_book: 1, bad_price: 1 });
});

describe('a feed that starts again', () => {
  function restarted(before: readonly MarketEvent[], openingStartMs?: number): LivePlayer {
    const scan = new LogTailScan();
    before.forEach((event) => scan.accept(event));
    const tail = scan.tail();
    const start = {
      epoch: 1,
      firstOrdinal: before.length + 1,
      opening: 'feed_down',
      openingStartMs: openingStartMs ?? tail.lastExchangeMs,
      clockMs: DAY_MS + 5_000,
      tail,
    } as const;
    return new LivePlayer(instrument as NonNullable<typeof instrument>, start);
  }

  it('reports its downtime as a gap, and logs no trade again that the log contains', () => {
    const before = played(new LivePlayer(instrument, first), [0, 'connected'], [100, book(90)], [150, trades([120, 7], [130, 8])]);
    const events = played(restarted(before), [5_100, 'connected'], [5_200, trades([130, 8], [4_000, 9])], [5_300, book(5_250)]);
    expect(inShort(events)).toEqual(['gap feed_down all -1870..', 'connected', 'trade 4000', 'book 5250', 'resynced all -1870..5250']);
    expect(events[0]?.ordinal).toBe(before.length + 1);
  });

  it('knows up to when the log has heard the venue: from its entries, or, where they are lost, from where the loss begins; a log that nothing came before knows nothing', () => {
    const player = new LivePlayer(instrument as NonNullable<typeof instrument>, first);
    expect(player.knownToMs).toBeUndefined();
    const before = played(player, [0, 'connected'], [100, book(90)], [150, trades([120, 7])], [4_900, 'time']);
    expect(player.knownToMs).toBe(DAY_MS - 1_880);
    expect(restarted(before).knownToMs).toBe(DAY_MS - 1_880);
    const lost = { epoch: 2, firstOrdinal: 100, opening: 'log_lost', openingStartMs: DAY_MS + 50, clockMs: DAY_MS + 9_000 } as const;
    expect(new LivePlayer(instrument as NonNullable<typeof instrument>, lost).knownToMs).toBe(DAY_MS + 50);
  });

  it('begins the gap where the venue was last heard, however long only ticks came before the stop', () => {
    const before = played(new LivePlayer(instrument, first), [0, 'connected'], [100, book(90)], [150, trades([120, 7])], [4_900, 'time']);
    const lastTickMs = before.at(-1)?.receivedTsMs;
    expect(lastTickMs).toBe(DAY_MS + 4_750);
    expect(inShort(played(restarted(before, lastTickMs), [5_100, 'connected']))).toEqual(['gap feed_down all -1880..', 'connected']);
  });

  it('ends a gap that the stop left open, and begins its own where that one ends', () => {
    const before = played(new LivePlayer(instrument, first), [0, 'connected'], [100, book(90)], [200, 'lost'], [1_000, 'time']);
    const events = played(restarted(before), [5_100, 'connected'], [5_300, book(5_250)], [11_000, 'time']);
    expect(inShort(events)).toEqual([
      'gap disconnected all -1910..1000',
      'gap feed_down all 1000..',
      'connected',
      'book 5250',
      'gap feed_down all 1000..5250',
    ]);
    expect(gapIdsOf(events)[0]).toBe(gapIdsOf(before)[0]);
  });
});

it('a log that is lost while the connection stands goes on in a new epoch behind one gap, with the facts and the gaps that are open', () => {
  const player = new LivePlayer(instrument, first);
  played(player, [0, 'connected'], [100, book(90)], [200, 'overflow']);
  player.moveTo({ epoch: 2, firstOrdinal: 3_000, opening: 'log_lost', openingStartMs: DAY_MS + 50, clockMs: DAY_MS + 300 }, 'log_lost');
  const events = played(player, [400, book(390)]);
  expect(inShort(events)).toEqual(['gap log_lost all 50..300', 'connected', 'gap overflow book 90..', 'resynced book 90..390', 'book 390']);
  expect(events.map(({ epoch }) => epoch)).toEqual(events.map(() => 2));
  expect(events.map(({ ordinal }) => ordinal)).toEqual(events.map((_, index) => 3_000 + index));
});

it('a jump of more than an hour gets no ticks', () => {
  const player = new LivePlayer(instrument, first);
  const ticks = played(player, [0, 'connected'], [3_600_000, 'time'], [20_000_000, 'time'], [20_000_250, 'time']).filter(
    ({ kind }) => kind === 'tick',
  );
  expect(ticks).toHaveLength(14_401 + 2);
});
