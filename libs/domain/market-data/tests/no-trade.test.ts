import { instrumentRows, LivePlayer, type MarketEvent, openRecording } from '../src/index';
import { play, textFile } from './open-files';

const START_MS = 1_700_000_010_000;

function tradeText(name: string, id: number, changes: object): string {
  const atMs = START_MS + id;
  const data = { e: 'trade', E: atMs, T: atMs, s: name, t: id, p: '100.0', q: '1', X: 'MARKET', m: false, ...changes };
  return JSON.stringify({ stream: `${name.toLowerCase()}@trade`, data });
}

/** Ids 1 to 9, of which 3, 4, 6 and 7 have no trade. */
function textsOf(name: string, nothing: object): string[] {
  return Array.from({ length: 9 }, (_, index) => tradeText(name, index + 1, [3, 4, 6, 7].includes(index + 1) ? nothing : {}));
}

function reported(events: readonly MarketEvent[]) {
  const gaps = events.filter((event) => event.kind === 'feed_status' && event.status.type === 'gap');
  return { trades: events.flatMap(({ kind, venueId }) => (kind === 'trade' ? [venueId] : [])), gaps };
}

describe.each([
  ['binance-usdm', 'SOLUSDT'],
  ['binance-coinm', 'BTCUSD_PERP'],
])('%s', (venue, name) => {
  it.each([
    ['NA', { p: '0', q: '0', X: 'NA' }],
    ['a kind that is not known yet', { p: '0.00', q: '0.000', X: 'SOMETHING_NEW' }],
    ['no kind', { p: '0', q: '0', X: undefined }],
    ['MARKET', { p: '0', q: '0' }],
  ])('an id with neither a price nor a quantity is no trade and no gap, and is counted, with %s', async (_kind, nothing) => {
    const texts = textsOf(name, nothing);
    const recording = await play(
      await openRecording([textFile('recording', texts.map((text, index) => `${START_MS + index}000000 ${text}\n`).join(''))]),
    );
    expect(reported(recording.events)).toEqual({ trades: ['1', '2', '5', '8', '9'], gaps: [] });
    expect(recording.rejections).toEqual({ no_trade: 4 });

    const row = instrumentRows.find((each) => each.venue === venue && each.venueInstrument === name && each.feed === 'binance');
    if (row === undefined) throw new Error(`the table has no ${name}`);
    const player = new LivePlayer(row, { epoch: 1, firstOrdinal: 1, opening: 'first', openingStartMs: 0, clockMs: START_MS });
    player.connected(START_MS);
    texts.forEach((text, index) => player.accept(START_MS + index, `${START_MS + index}000000 ${text}`));
    expect(reported(player.take().map(({ event }) => event))).toEqual({ trades: ['1', '2', '5', '8', '9'], gaps: [] });
    expect(player.rejections.no_trade).toBe(4);
  });

  it('a price without a quantity, or a quantity without a price, is still a fault, and its trade is missing', async () => {
    for (const [nothing, reason] of [
      [{ p: '0', X: 'NA' }, 'bad_price'],
      [{ q: '0', X: 'NA' }, 'bad_size'],
    ] as const) {
      const lines = textsOf(name, nothing).map((text, index) => `${START_MS + index}000000 ${text}\n`);
      const { events, rejections } = await play(await openRecording([textFile('recording', lines.join(''))]));
      expect([reported(events).gaps.length, rejections]).toEqual([2, { [reason]: 4 }]);
    }
  });
});
