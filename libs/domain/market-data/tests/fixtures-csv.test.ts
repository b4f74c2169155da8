import { openRecording, readInstrumentDescription } from '../src/index';
import { rowsOf, withoutTicks } from './fixture-logs';
import { countKinds, filesOf, fixturePath, play, textFile } from './open-files';

const START_MS = 1_700_000_000_000;
const instrument = readInstrumentDescription('symbol=BTCUSD-PERP,venue=northbay,venue_instrument=XBT/USD');

async function played(text: string, name = 'hand.csv') {
  return play(await openRecording([textFile(name, text)], { instrument }));
}

describe('csv', () => {
  const paths = ['book.csv', 'trades.csv', 'context.csv', 'liquidations.csv'].map((name) => fixturePath('csv', name));

  it('merges files of every kind by time, as the instrument that is described', async () => {
    const recording = await openRecording(filesOf(paths), { instrument });
    expect(recording).toMatchObject({ format: 'csv', venue: 'northbay', symbols: ['BTCUSD-PERP'] });
    const { events, rejections } = await play(recording);
    expect(rejections).toEqual({});
    expect(withoutTicks(events).slice(0, 6)).toEqual([
      'connected',
      'trade 150 #c4a7-0',
      'context 200 #1',
      'book 100 #1700000000100 36500/36500.5',
      'book 600 #1700000000600 36500/36500.5',
      'trade 1150 #e1b0-1',
    ]);
    expect(countKinds(events)).toMatchObject({ book: 60, trade: 30, context: 3, liquidation: 1 });
    expect(events[0]).toMatchObject({
      status: {
        channels: ['book', 'trade', 'context', 'liquidation'],
        bookStalenessMs: 10_000,
        closingLagMs: 1_000,
        sourceKind: 'recorded',
      },
    });
    expect(rowsOf(events, 'book')[3]).toMatchObject({
      bids: [
        ['36500', '4.25'],
        ['36499', '2'],
      ],
    });
    expect(rowsOf(events, 'context')[1]).not.toHaveProperty('funding_rate');
    expect(rowsOf(events, 'context').slice(0, 2)).toMatchObject([
      {
        funding_rate: '0.0001',
        venue_funding_rate: '0.0004',
        funding_interval_hours: 4,
        open_interest: '2100.5',
        oracle_price: '36499.75',
      },
      { mark_price: '36501.25' },
    ]);
  });

  it('produces the same log for every order of files of different kinds', async () => {
    const [one, other] = [paths, paths.toReversed()].map(async (each) => play(await openRecording(filesOf(each), { instrument })));
    expect((await one)?.events).toEqual((await other)?.events);
  });

  it('keeps trades apart that have no id, and leaves out those whose id came before', async () => {
    const rows = [`${START_MS},1.5,2,buy`, `${START_MS},1.5,2,buy`];
    const plain = await played(['exchange_time_ms,price,size,aggressor_side', ...rows].join('\n'));
    expect(withoutTicks(plain.events)).toEqual(['connected', 'trade 0 #1', 'trade 0 #2']);
    const named = await played(['exchange_time_ms,price,size,aggressor_side,trade_id', ...rows.map((row) => `${row},7`)].join('\n'));
    expect(withoutTicks(named.events)).toEqual(['connected', 'trade 0 #7']);
    expect(named.rejections).toEqual({ duplicate: 1 });
  });

  it.each([
    ['s', '1700000000.25'],
    ['ms', '1700000000250'],
    ['ms', '1700000000250.9'],
    ['us', '1700000000250999'],
    ['ns', '1700000000250999999'],
    ['utc', '2023-11-14T22:13:20.250Z'],
    ['utc', '2023-11-14 22:13:20.250999'],
  ])('reads a time that ends in _%s: %s', async (unit, time) => {
    const { events } = await played(`exchange_time_${unit},price,size,aggressor_side\n${time},1.5,2,sell`);
    expect(withoutTicks(events)).toEqual(['connected', 'trade 250 #1']);
  });

  it('takes the receive time where a file has one: what is timed later than it is logged', async () => {
    const { events } = await played(
      ['received_time_ms,"exchange_time_ms",size,price,aggressor_side', `${START_MS + 900},${START_MS + 20},"2",1.5,SELL`].join('\r\n'),
    );
    expect(events.at(-1)).toMatchObject({
      kind: 'trade',
      exchangeTsMs: START_MS + 20,
      receivedTsMs: START_MS + 900,
      aggressorSide: 'sell',
    });
  });

  it('is the same log played as a pass, after a look at its span', async () => {
    const open = () => openRecording(filesOf(paths), { instrument });
    const span = await (await open()).span();
    expect(span).toEqual({
      firstReceivedMs: START_MS + 100,
      lastReceivedMs: START_MS + 29_600,
      firstExchangeMs: START_MS + 100,
      lastExchangeMs: START_MS + 29_600,
    });
  });
});
