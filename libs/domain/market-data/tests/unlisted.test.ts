import { decodeEvent, encodeEvent, instrumentRows, LivePlayer, type LiveStart, LogTailScan, type MarketEvent } from '../src/index';

const START_MS = 1_700_000_040_000;
const REASON = 'the venue does not list BTC';
const first: LiveStart = { epoch: 1, firstOrdinal: 1, opening: 'first', openingStartMs: 0, clockMs: START_MS };

function instrumentOf(feed: string) {
  const instrument = instrumentRows.find((row) => row.feed === feed && row.symbol === 'BTCUSD-PERP');
  if (instrument === undefined) throw new Error(`the table has no BTC of ${feed}`);
  return instrument;
}

const instrument = instrumentOf('hyperliquid');

function book(atMs: number): string {
  const level = (px: string) => [{ px, sz: '1', n: 1 }];
  return `${START_MS}000000 ${JSON.stringify({ channel: 'l2Book', data: { coin: 'BTC', time: START_MS + atMs, levels: [level('100'), level('101')] } })}`;
}

/** One line per status, with times from the start. */
function statusesOf(player: LivePlayer): string[] {
  return player.take().flatMap(({ event }) => {
    if (event.kind !== 'feed_status') return [];
    const { status } = event;
    if (status.type === 'disconnected') return [`disconnected: ${status.reason}`];
    if (status.type !== 'gap') return [status.type];
    return [`gap ${status.reason} ${status.startMs - START_MS}..${status.endMs === 0 ? '' : status.endMs - START_MS}`];
  });
}

it('an instrument that was never listed has a gap from its first moment on, with the reason, however often it is found missing', () => {
  const player = new LivePlayer(instrument, first);
  player.unlisted(START_MS + 1_000, REASON);
  player.unlisted(START_MS + 2_000, REASON);
  player.disconnected(START_MS + 3_000, 'the connection was lost');
  player.unlisted(START_MS + 4_000, REASON);
  expect(statusesOf(player)).toEqual([`disconnected: ${REASON}`, 'gap not_listed 1000..']);
});

it('one that leaves the metadata while it is connected has one gap, which its first book ends once it is listed again', () => {
  const player = new LivePlayer(instrument, first);
  player.connected(START_MS);
  player.accept(START_MS + 5_000, book(5_000));
  player.unlisted(START_MS + 6_000, REASON);
  player.connected(START_MS + 60_000);
  player.accept(START_MS + 60_100, book(60_050));
  player.advanceTo(START_MS + 66_000);
  expect(statusesOf(player)).toEqual([
    'connected',
    `disconnected: ${REASON}`,
    'gap not_listed 3000..',
    'connected',
    'gap not_listed 3000..60050',
  ]);
});

it('a lost connection after which the venue does not list it ends there: what follows is missing for another reason', () => {
  const player = new LivePlayer(instrument, first);
  player.connected(START_MS);
  player.accept(START_MS + 5_000, book(5_000));
  player.disconnected(START_MS + 6_000, 'the connection was lost');
  player.unlisted(START_MS + 7_000, REASON);
  expect(statusesOf(player)).toEqual([
    'connected',
    'disconnected: the connection was lost',
    'gap disconnected 3000..',
    `disconnected: ${REASON}`,
    'gap disconnected 3000..7000',
    'gap not_listed 7000..',
  ]);
});

it('a feed that starts again while it is missing, and one that takes over, go on with that gap', () => {
  const scan = new LogTailScan();
  const before = new LivePlayer(instrument, first);
  before.connected(START_MS);
  before.accept(START_MS + 5_000, book(5_000));
  const events: MarketEvent[] = before.take().map(({ event }) => event);
  for (const event of events) scan.accept(decodeEvent(encodeEvent(event)));
  const start: LiveStart = {
    epoch: 1,
    firstOrdinal: events.length + 1,
    opening: 'feed_down',
    openingStartMs: START_MS + 5_000,
    clockMs: START_MS + 8_000,
    tail: scan.tail(),
  };
  const restarted = new LivePlayer(instrument, start);
  restarted.unlisted(START_MS + 9_000, REASON);
  expect(statusesOf(restarted)).toEqual([
    'gap feed_down 3000..',
    `disconnected: ${REASON}`,
    'gap feed_down 3000..9000',
    'gap not_listed 9000..',
  ]);
  const standby = new LivePlayer(instrument, { ...first, epoch: 0 });
  standby.standBy();
  standby.unlisted(START_MS + 7_000, REASON);
  standby.keep();
  standby.advanceTo(START_MS + 8_000);
  standby.takeOver(start);
  expect(statusesOf(standby).filter((line) => line.startsWith('gap not_listed'))).toEqual(['gap not_listed 8000..']);
});

it('the reason survives the log', () => {
  const player = new LivePlayer(instrumentOf('binance'), first);
  player.unlisted(START_MS, REASON);
  const events = player.take().map(({ event }) => event);
  expect(events.map((event) => decodeEvent(encodeEvent(event)))).toEqual(events);
});
