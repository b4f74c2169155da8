import { instrumentRows, LivePlayer, type LiveStart } from '../src/index';

const START_MS = 1_700_000_040_000;
const start: LiveStart = { epoch: 1, firstOrdinal: 1, opening: 'first', openingStartMs: 0, clockMs: START_MS };

type Channel = 'book' | 'trade' | 'context';

/** Symbol on a live connection, fed with messages at seconds from the start. */
class Followed {
  readonly player: LivePlayer;
  private id = 10;
  private tradeId = 1;

  constructor(private readonly venue: string) {
    const symbol = venue === 'binance-usdm' ? 'SOLUSD-PERP' : 'BTCUSD-PERP';
    const row = instrumentRows.find((each) => each.venue === venue && each.symbol === symbol && each.feed !== 'recording');
    if (row === undefined) throw new Error(`the table has no ${symbol} of ${venue}`);
    this.name = row.venueInstrument;
    this.player = new LivePlayer(row, start);
    this.connect(0);
  }

  private readonly name: string;

  connect(atS: number): void {
    this.player.connected(START_MS + atS * 1_000);
    if (this.venue === 'hyperliquid') return;
    const book = { lastUpdateId: this.id, T: START_MS + atS * 1_000, symbol: this.name, bids: [['100', '1']], asks: [['101', '1']] };
    this.take(atS, JSON.stringify({ stream: `${this.name.toLowerCase()}@depthSnapshot`, data: book }));
  }

  /** One message per channel and second; `toS` is exclusive. */
  bring(fromS: number, toS: number, ...channels: readonly Channel[]): void {
    for (let atS = fromS; atS < toS; atS++) for (const channel of channels) this.take(atS, this.message(channel, START_MS + atS * 1_000));
  }

  /** The venue reports how many trades there were. */
  ticker(atS: number, lastTradeId: number): void {
    const data = { e: '24hrTicker', E: START_MS + atS * 1_000, s: this.name, v: '1', q: '1', L: lastTradeId };
    this.take(atS, JSON.stringify({ stream: `${this.name.toLowerCase()}@ticker`, data }));
  }

  /** Actions due at a second in which no message arrives. */
  due(atS: number): string | undefined {
    this.player.advanceTo(START_MS + atS * 1_000);
    const { silence } = this.player;
    return silence && `${silence.due}: ${silence.reason}`;
  }

  gaps(): string[] {
    return this.player.take().flatMap(({ event }) => {
      if (event.kind !== 'feed_status' || event.status.type !== 'gap') return [];
      const { channel = 'all', startMs, endMs, reason } = event.status;
      return [`${channel} ${reason} ${(startMs - START_MS) / 1_000}..${endMs === 0 ? '' : (endMs - START_MS) / 1_000}`];
    });
  }

  private take(atS: number, text: string): void {
    this.player.accept(START_MS + atS * 1_000, `${START_MS + atS * 1_000}000000 ${text}`);
  }

  private message(channel: Channel, timeMs: number): string {
    if (this.venue === 'hyperliquid') return hyperliquidMessage(channel, timeMs, this.tradeId++);
    const stream = (name: string, data: object): string => JSON.stringify({ stream: `${this.name.toLowerCase()}@${name}`, data });
    switch (channel) {
      case 'book':
        return stream('depth@100ms', {
          e: 'depthUpdate',
          T: timeMs,
          s: this.name,
          U: this.id,
          u: this.id + 1,
          pu: this.id++,
          b: [['100', '2']],
          a: [],
        });
      case 'trade':
        return stream('trade', { e: 'trade', T: timeMs, s: this.name, t: this.tradeId++, p: '100', q: '1', X: 'MARKET', m: true });
      case 'context':
        return stream('markPrice@1s', { e: 'markPriceUpdate', E: timeMs, s: this.name, p: '100', i: '100', r: '0.0001', T: 0 });
    }
  }
}

function hyperliquidMessage(channel: Channel, time: number, tid: number): string {
  const level = (px: string) => [{ px, sz: String(tid), n: 1 }];
  switch (channel) {
    case 'book':
      return JSON.stringify({ channel: 'l2Book', data: { coin: 'BTC', time, levels: [level('100'), level('101')] } });
    case 'trade':
      return JSON.stringify({
        channel: 'trades',
        data: [{ coin: 'BTC', side: 'B', px: '100', sz: '1', time, hash: '0x0', tid, users: ['0', '1'] }],
      });
    case 'context':
      return JSON.stringify({
        channel: 'activeAssetCtx',
        data: { coin: 'BTC', ctx: { funding: '0.0001', openInterest: '1', markPx: '100' } },
      });
  }
}

const ALL: readonly Channel[] = ['book', 'trade', 'context'];

describe.each([
  ['hyperliquid', 10, 2],
  ['binance-usdm', 5, 1],
  ['binance-coinm', 5, 1],
])('%s', (venue, bookS, lagS) => {
  it('nothing at all comes: subscribed again after the limit of the book, connected again after as long, with a gap from the last message on', () => {
    const followed = new Followed(venue);
    followed.bring(0, 10, ...ALL);
    expect(followed.due(9 + bookS)).toBeUndefined();
    expect(followed.due(9.25 + bookS)).toBe(`resubscribe: no book message for ${(bookS + 0.25).toFixed(1)} s`);
    followed.player.resubscribed();
    expect(followed.due(9.25 + 2 * bookS)).toBeUndefined();
    expect(followed.due(9.5 + 2 * bookS)).toBe(`reconnect: no book message for ${(2 * bookS + 0.5).toFixed(1)} s`);
    followed.gaps();
    followed.player.disconnected(START_MS + (10 + 2 * bookS) * 1_000, 'no book message');
    expect(followed.gaps()).toEqual([`all disconnected ${9 - lagS}..`]);
  });

  it.each([
    ['trade', 60],
    ['context', 120],
  ] as const)('%s stays away and the others come: the same by its own limit, with a gap of its own', (channel, limitS) => {
    const followed = new Followed(venue);
    const others = ALL.filter((each) => each !== channel);
    followed.bring(0, 10, ...ALL);
    followed.bring(10, 10 + limitS, ...others);
    expect(followed.due(9.25 + limitS)).toMatch(`resubscribe: no ${channel} message for`);
    followed.player.resubscribed();
    followed.bring(10 + limitS, 10 + 2 * limitS, ...others);
    expect(followed.due(10 + 2 * limitS)).toMatch(`reconnect: no ${channel} message for`);
    followed.gaps();
    followed.player.disconnected(START_MS + (10 + 2 * limitS) * 1_000, 'silent');
    const lastS = 9 + 2 * limitS;
    expect(followed.gaps()).toEqual([`${channel} disconnected 9..${lastS - lagS}`, `all disconnected ${lastS - lagS}..`]);
  });

  it('a context that comes back once it is subscribed again leaves a gap, and nothing is due any more', () => {
    const followed = new Followed(venue);
    followed.bring(0, 10, ...ALL);
    followed.bring(10, 140, 'book', 'trade');
    expect(followed.due(140)).toMatch('resubscribe');
    followed.player.resubscribed();
    followed.bring(141, 142, ...ALL);
    expect(followed.due(142)).toBeUndefined();
    expect(followed.gaps()).toEqual(['context disconnected 9..141']);
  });

  it('a channel that a connection has never brought is given twice its limit, and twice as long after each reconnection: the others are not cut all the time', () => {
    const followed = new Followed(venue);
    const silentS = (limitS: number, fromS: number): number => {
      let atS = fromS;
      for (; followed.due(atS)?.startsWith('resubscribe') !== true; atS++) followed.bring(atS, atS + 1, 'trade', 'context');
      expect(atS - fromS).toBe(limitS + 1);
      followed.player.resubscribed();
      for (; followed.due(atS)?.startsWith('reconnect') !== true; atS++) followed.bring(atS, atS + 1, 'trade', 'context');
      followed.player.disconnected(START_MS + atS * 1_000, 'silent');
      followed.player.connected(START_MS + atS * 1_000);
      return atS;
    };
    const onceS = silentS(2 * bookS, 0);
    const twiceS = silentS(4 * bookS, onceS);
    silentS(8 * bookS, twiceS);
  });
});

it('binance: trades stay away because there are none, by the ticker: nothing is due until it counts one that did not come', () => {
  const followed = new Followed('binance-usdm');
  followed.ticker(0, 40);
  for (let atS = 1; atS < 200; atS++) {
    followed.bring(atS, atS + 1, 'book', 'context');
    followed.ticker(atS, 40);
  }
  expect(followed.due(200)).toBeUndefined();
  followed.ticker(200, 41);
  expect(followed.due(200)).toBe('resubscribe: no trade message for 200.0 s');
});
