import fc from 'fast-check';
import { instrumentRows, LivePlayer, type MarketEvent } from '../src/index';
import { DAY_MS, diff, inShort, line, snapshot, trade } from './messages';

const instrument = instrumentRows.find(({ venue, venueInstrument }) => venue === 'binance-coinm' && venueInstrument === 'BTCUSD_PERP');
if (instrument === undefined) throw new Error('the table has no BTCUSD_PERP');

/** Live connection with a whole book at time 0, update id 5. */
function connected(): LivePlayer {
  const player = new LivePlayer(instrument as NonNullable<typeof instrument>, {
    epoch: 1,
    firstOrdinal: 1,
    opening: 'first',
    openingStartMs: 0,
    clockMs: DAY_MS,
  });
  player.connected(DAY_MS);
  player.accept(DAY_MS, line(0, snapshot(DAY_MS, 5, [['100', '1']], [['101', '1']])));
  return player;
}

function taken(player: LivePlayer): MarketEvent[] {
  return player
    .take()
    .map(({ event }) => event)
    .filter(({ kind }) => kind !== 'tick');
}

it('a connection that ends in the midst of a bucket: its book is logged, and the gap begins behind the last change', () => {
  const player = connected();
  player.accept(DAY_MS + 110, line(110, diff(DAY_MS + 100, [5, 6, 4], [['100.5', '7']], [])));
  player.accept(DAY_MS + 130, line(130, trade(DAY_MS + 120, 1)));
  player.disconnected(DAY_MS + 200, 'gone');
  const events = taken(player);
  expect(inShort(events)).toEqual(['connected', 'trade 120 #1', 'book 100 #6 100.5/101', 'disconnected', 'gap']);
  expect(events.at(-1)).toMatchObject({ status: { type: 'gap', startMs: DAY_MS - 880, endMs: 0, reason: 'disconnected' } });
});

it('whenever a connection ends, every change and trade that came is in the log or in the gap that it leaves', () => {
  fc.assert(
    fc.property(
      fc.array(fc.record({ afterMs: fc.integer({ min: 1, max: 200 }), isTrade: fc.boolean(), lagMs: fc.integer({ min: 0, max: 80 }) }), {
        minLength: 1,
        maxLength: 30,
      }),
      (messages) => {
        const player = connected();
        let atMs = DAY_MS;
        let [updateId, tradeId] = [5, 0];
        const madeMs: number[] = [];
        for (const { afterMs, isTrade, lagMs } of messages) {
          atMs += afterMs;
          const timeMs = atMs - lagMs;
          madeMs.push(timeMs);
          const text = isTrade
            ? trade(timeMs, ++tradeId)
            : diff(timeMs, [updateId, ++updateId, updateId - 1], [['100.5', String(updateId)]], []);
          player.accept(atMs, line(0, text));
        }
        player.disconnected(atMs, 'gone');
        const events = taken(player);
        const lastBook = events.findLast(({ kind }) => kind === 'book');
        expect(lastBook?.venueId).toBe(String(updateId));
        expect(events.filter(({ kind }) => kind === 'trade')).toHaveLength(tradeId);
        const gap = events.at(-1);
        const startMs = gap?.kind === 'feed_status' && gap.status.type === 'gap' ? gap.status.startMs : undefined;
        expect(startMs).toBeLessThanOrEqual(Math.max(DAY_MS, ...madeMs));
      },
    ),
  );
});

it('a frame that was not read: the book that waited is logged, and all channels are in a gap from there to the first book of a new snapshot', () => {
  const player = connected();
  player.accept(DAY_MS + 110, line(110, diff(DAY_MS + 100, [5, 6, 4], [['100.5', '7']], [])));
  player.accept(DAY_MS + 130, line(130, trade(DAY_MS + 120, 1)));
  player.frameRefused(DAY_MS + 200);
  expect(player.needsSnapshot).toBe(true);
  player.accept(DAY_MS + 310, line(310, diff(DAY_MS + 300, [8, 9, 7], [['100.6', '7']], [])));
  player.accept(DAY_MS + 320, line(320, trade(DAY_MS + 310, 3)));
  player.accept(DAY_MS + 400, line(400, snapshot(DAY_MS + 300, 9, [['100.6', '7']], [['101', '1']])));
  player.advanceTo(DAY_MS + 1_300);
  player.advanceTo(DAY_MS + 10_000);
  const events = taken(player);
  expect(inShort(events)).toEqual([
    'connected',
    'trade 120 #1',
    'book 100 #6 100.5/101',
    'gap',
    'gap',
    'gap',
    'trade 310 #3',
    'resynced',
    'book 300 #9 100.6/101',
    'gap',
  ]);
  const reported = events.flatMap((event) => (event.kind === 'feed_status' && 'gapId' in event.status ? [event.status] : []));
  expect(reported).toMatchObject([
    { type: 'gap', channel: 'book', startMs: DAY_MS + 100, endMs: 0, reason: 'overflow' },
    { type: 'gap', startMs: DAY_MS - 880, endMs: 0, reason: 'overflow' },
    { type: 'gap', channel: 'trade', startMs: DAY_MS + 120, endMs: DAY_MS + 310, reason: 'sequence_gap' },
    { type: 'resynced', channel: 'book', startMs: DAY_MS + 100, endMs: DAY_MS + 300 },
    { type: 'gap', startMs: DAY_MS - 880, endMs: DAY_MS + 300, reason: 'overflow' },
  ]);
  expect(reported[1]).not.toHaveProperty('channel');
  expect(reported[4]?.gapId).toBe(reported[1]?.gapId);
});

it('after a frame that was not read, a trade whose number follows ends the gap as resynced', () => {
  const player = connected();
  player.accept(DAY_MS + 130, line(130, trade(DAY_MS + 120, 1)));
  player.frameRefused(DAY_MS + 200);
  player.accept(DAY_MS + 320, line(320, trade(DAY_MS + 310, 2)));
  player.accept(DAY_MS + 400, line(400, snapshot(DAY_MS + 390, 9, [['100.6', '7']], [['101', '1']])));
  player.advanceTo(DAY_MS + 2_000);
  expect(taken(player).at(-1)).toMatchObject({ status: { type: 'resynced', startMs: DAY_MS - 880, endMs: DAY_MS + 390 } });
});

it('frames that are not read while a gap of all channels is open make no second one', () => {
  const player = connected();
  player.accept(DAY_MS + 130, line(130, trade(DAY_MS + 120, 1)));
  for (const atMs of [200, 210, 220]) player.frameRefused(DAY_MS + atMs);
  player.disconnected(DAY_MS + 300, 'gone');
  const all = taken(player).flatMap((event) =>
    event.kind === 'feed_status' && event.status.type === 'gap' && event.status.channel === undefined ? [event.status] : [],
  );
  expect(all).toMatchObject([{ startMs: DAY_MS - 880, endMs: 0, reason: 'overflow' }]);
});

it('trades that are missing between two connections are in a gap of the trades, however late the next one comes', () => {
  const player = connected();
  player.accept(DAY_MS + 130, line(130, trade(DAY_MS + 120, 1)));
  player.disconnected(DAY_MS + 200, 'gone');
  player.connected(DAY_MS + 9_000);
  player.accept(DAY_MS + 9_100, line(9_100, trade(DAY_MS + 9_050, 5)));
  player.disconnected(DAY_MS + 9_200, 'gone');
  player.connected(DAY_MS + 9_300);
  player.accept(DAY_MS + 9_400, line(9_400, trade(DAY_MS + 9_350, 6)));
  const gaps = taken(player).flatMap((event) =>
    event.kind === 'feed_status' && event.status.type === 'gap' && event.status.channel === 'trade' ? [event.status] : [],
  );
  expect(gaps).toMatchObject([{ startMs: DAY_MS + 120, endMs: DAY_MS + 9_050, reason: 'sequence_gap' }]);
});

it('trades that were missing and come later in the same connection withdraw the gap, also that of a new connection', () => {
  const player = connected();
  player.accept(DAY_MS + 130, line(130, trade(DAY_MS + 120, 1)));
  player.disconnected(DAY_MS + 200, 'gone');
  player.connected(DAY_MS + 9_000);
  for (const [atMs, id] of [
    [9_050, 4],
    [9_060, 3],
    [9_070, 2],
    [9_080, 3],
  ] as const)
    player.accept(DAY_MS + atMs + 10, line(atMs + 10, trade(DAY_MS + atMs, id)));
  const ofTrades = taken(player).flatMap((event) => {
    if (event.kind === 'trade') return [event.venueId];
    return event.kind === 'feed_status' && event.status.type === 'gap' && event.status.channel === 'trade' ? [event.status.reason] : [];
  });
  expect(ofTrades).toEqual(['1', 'sequence_gap', '4', '3', 'arrived_late', '2']);
});

it('a second snapshot before any change does not pass over the changes that are missing between the two', () => {
  const player = connected();
  player.accept(DAY_MS + 410, line(410, snapshot(DAY_MS + 400, 9, [['100.6', '7']], [['101', '1']])));
  player.accept(DAY_MS + 510, line(510, diff(DAY_MS + 500, [10, 10, 9], [['100.7', '7']], [])));
  player.advanceTo(DAY_MS + 2_000);
  const gaps = taken(player).flatMap((event) => (event.kind === 'feed_status' && event.status.type === 'gap' ? [event.status] : []));
  expect(gaps).toMatchObject([{ channel: 'book', startMs: DAY_MS, endMs: 0, reason: 'sequence_gap' }]);
  expect(player.needsSnapshot).toBe(true);
});

it('changes that waited for a whole book when the connection ended are counted', () => {
  const player = connected();
  player.accept(DAY_MS + 10, line(10, diff(DAY_MS + 10, [8, 9, 7], [], [])));
  player.accept(DAY_MS + 20, line(20, diff(DAY_MS + 20, [10, 10, 9], [], [])));
  player.disconnected(DAY_MS + 30, 'gone');
  expect(player.rejections.no_snapshot).toBe(2);
});
