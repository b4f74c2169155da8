import { readdirSync, readFileSync } from 'node:fs';
import { openRecording, readInstrumentDescription } from '../src/index';
import { rowsOf, withoutTicks } from './fixture-logs';
import { countKinds, filesOf, fixturePath, play, textFile } from './open-files';

// Written by hand from https://docs.tardis.dev/downloadable-csv-files/data-types.
const names = readdirSync(fixturePath('tardis-csv'));
const paths = names.map((name) => fixturePath('tardis-csv', name));
const START_MS = 1_700_000_000_000;
const HEAD = 'exchange,symbol,timestamp,local_timestamp,';

function row(atMs: number, rest: string, symbol = 'BTCUSDT'): string {
  return `binance-futures,${symbol},${START_MS + atMs}000,${START_MS + atMs + 40}000,${rest}`;
}

async function played(name: string, ...lines: readonly string[]) {
  return play(await openRecording([textFile(name, `${lines.join('\n')}\n`)]));
}

function linesOf(kind: string): string[] {
  const name = names.find((each) => each.includes(kind)) ?? '';
  return readFileSync(fixturePath('tardis-csv', name), 'utf8').trimEnd().split('\n');
}

function statusesOf(events: Parameters<typeof rowsOf>[0]): unknown[] {
  return rowsOf(events, 'feed_status').map(({ status }) => status);
}

describe('tardis-csv', () => {
  it('merges the files of a day by local_timestamp, with the times of both columns', async () => {
    const recording = await openRecording(filesOf(paths));
    expect(recording).toMatchObject({ format: 'tardis-csv', venue: 'binance-usdm', symbols: ['BTCUSD-PERP'] });
    const { events, rejections } = await play(recording);
    expect(rejections).toEqual({});
    expect(countKinds(events)).toMatchObject({ trade: 29, context: 4, liquidation: 2 });
    expect(withoutTicks(events).slice(0, 4)).toEqual([
      'connected',
      'trade 150 #900',
      'context 200 #1',
      'book 100 #1700000000100 36500/36500.5',
    ]);
    expect(events.find(({ kind }) => kind === 'trade')).toMatchObject({
      receivedTsMs: START_MS + 190,
      aggressorSide: 'sell',
      price: '36500.5',
      size: '0.1',
    });
    expect(rowsOf(events, 'liquidation')).toMatchObject([{ position_side: 'long' }, { position_side: 'short' }]);
  });

  it('states the funding interval once the next payment moves, and keeps values that are not sent again', async () => {
    const { events } = await play(await openRecording(filesOf(paths)));
    const contexts = rowsOf(events, 'context');
    expect(contexts[0]).toMatchObject({ venue_funding_rate: '0.00010000', mark_price: '36500.10', oracle_price: '36499.75' });
    expect(contexts[0]).not.toHaveProperty('open_interest');
    expect(contexts[1]).not.toHaveProperty('funding_interval_hours');
    expect(contexts[2]).toMatchObject({ open_interest: '75000.25', funding_interval_hours: 8, funding_rate: '0.0000125' });
  });

  it('writes a gap of the book where it starts again: changes between are unknown', async () => {
    const { events } = await play(await openRecording(filesOf(paths)));
    const [, ...statuses] = statusesOf(events);
    expect(statuses).toMatchObject([
      { type: 'gap', channel: 'book', reason: 'disconnected', start_ms: START_MS + 11_600, end_ms: START_MS + 24_100 },
      { type: 'gap', channel: 'book', reason: 'disconnected', start_ms: START_MS + 25_100 },
      { type: 'resynced', channel: 'book', start_ms: START_MS + 25_100, end_ms: START_MS + 26_000 },
    ]);
    const books = rowsOf(events, 'book');
    expect(books.at(-1)).toMatchObject({ bids: expect.arrayContaining([['36490', '10']]) as unknown });
  });

  it('removes a level by amount 0 and replaces the book by a snapshot', async () => {
    const { events } = await played('incremental_book_L2.csv', ...linesOf('incremental_book_L2'));
    const asks = rowsOf(events, 'book').map(({ asks: side }) => (side as string[][]).map(([price]) => price));
    expect(asks[0]).toEqual(['36500.5', '36501.5', '36502.5', '36503.5', '36504.5']);
    expect(asks[2]).toEqual(['36500.5', '36502.5', '36503.5', '36504.5']);
    expect(asks.at(-1)).toEqual(['36490.5', '36491.5', '36492.5', '36493.5', '36494.5']);
  });

  it('reads book_snapshot_25: one state of the book per row', async () => {
    const columns = [0, 1].flatMap((n) => ['asks', 'bids'].flatMap((side) => [`${side}[${n}].price`, `${side}[${n}].amount`]));
    const rows = Array.from({ length: 8 }, (_, n) => row(100 + n * 500, `36500.5,1.5,36500,${2 + n},36501,2,,`));
    const { events, rejections } = await played('book_snapshot_25.csv', `${HEAD}${columns.join()}`, ...rows);
    expect(rejections).toEqual({});
    expect(rowsOf(events, 'book')).toHaveLength(8);
    expect(rowsOf(events, 'book')[1]).toMatchObject({
      bids: [['36500', '3']],
      asks: [
        ['36500.5', '1.5'],
        ['36501', '2'],
      ],
    });
  });

  it('reports an unreadable row by file and line, counts it, and writes a gap for what it contained', async () => {
    const trades = linesOf('trades');
    const broken = trades
      .with(3, (trades[3] ?? '').replace(',0.3', ',-1'))
      .with(5, (trades[5] ?? '').replace(',sell,', ',unknown,').replace(',buy,', ',unknown,'));
    const { events, rejections, recording } = await played('trades.csv', ...broken);
    expect(rejections).toEqual({ bad_size: 1, unknown_message: 1 });
    expect(recording.tally.notes.list().slice(0, 2)).toEqual([
      'trades.csv:4: amount "-1" is not a positive number',
      'trades.csv:6: side "unknown" is not buy or sell: the aggressor is not known',
    ]);
    expect(statusesOf(events).slice(1)).toMatchObject([
      { type: 'gap', channel: 'trade', start_ms: START_MS + 1_150, end_ms: START_MS + 3_150 },
      { type: 'gap', channel: 'trade', start_ms: START_MS + 3_150, end_ms: START_MS + 5_150 },
    ]);
    const book = linesOf('incremental_book_L2');
    const cut = await played('incremental_book_L2.csv', ...book.with(20, (book[20] ?? '').slice(0, 60)));
    expect(cut.recording.tally.notes.list()[0]).toMatch(/^incremental_book_L2\.csv:21: row has 5 cells, the header has 8$/);
    // Nothing is known of the book until the next snapshot.
    expect(statusesOf(cut.events)[1]).toMatchObject({ type: 'gap', channel: 'book', reason: 'sequence_gap' });
    expect(statusesOf(cut.events).at(-1)).toMatchObject({ type: 'resynced', end_ms: START_MS + 26_000 });
    expect(cut.rejections['no_snapshot']).toBeUndefined();
  });

  it('names the first twenty unreadable rows and counts the rest', async () => {
    const rows = Array.from({ length: 25 }, (_, n) => row(n * 100, `${n},buy,x,1`));
    const { recording, rejections } = await played('trades.csv', `${HEAD}id,side,price,amount`, row(0, 'a,buy,1,1'), ...rows);
    expect(rejections).toEqual({ bad_price: 25 });
    expect(recording.tally.notes.list().filter((note) => note.startsWith('trades.csv:'))).toHaveLength(20);
    expect(recording.tally.notes.list()).toContain('5 more rows could not be read');
  });

  it('chooses one instrument of a file of several', async () => {
    const lines = [`${HEAD}id,side,price,amount`, row(0, '1,buy,10,1'), row(5, '2,buy,3,1', 'ETHUSDT'), row(9, '3,sell,11,1')];
    const file = () => textFile('trades.csv', lines.join('\n'));
    await expect(openRecording([file()])).rejects.toThrow('choose one: BTCUSD-PERP, ETHUSD-PERP');
    const { events } = await play(await openRecording([file()], { symbol: 'ETHUSD-PERP' }));
    expect(withoutTicks(events)).toEqual(['connected', 'trade 5 #2']);
  });

  it('needs a description of an instrument of a venue that is not in the table, with the unit of its amounts', async () => {
    const line = `deribit,BTC-PERPETUAL,${START_MS}000,${START_MS}000,7,buy,40000,100`;
    const file = () => textFile('trades.csv', `${HEAD}id,side,price,amount\n${line}\n`);
    await expect(openRecording([file()])).rejects.toThrow('--instrument symbol=BTCUSD-PERP,venue=deribit,venue_instrument=BTC-PERPETUAL');
    const instrument = readInstrumentDescription('symbol=BTCUSD-PERP,venue=deribit,venue_instrument=BTC-PERPETUAL,contract_value=1');
    const { events } = await play(await openRecording([file()], { instrument }));
    expect(rowsOf(events, 'trade')).toMatchObject([{ size: '0.0025', venue_size: '100' }]);
  });

  it.each([
    ['data.csv', `${HEAD}id,side,price,amount\n${row(0, '1,buy,1,1')}`, 'the file name must contain one of the two words'],
    ['quotes.csv', `${HEAD}ask_amount,ask_price,bid_price,bid_amount\n${row(0, '1,2,1,1')}`, 'Tardis columns of no supported file'],
  ])('refuses %s', async (name, text, sentence) => {
    await expect(openRecording([textFile(name, text)])).rejects.toThrow(sentence);
  });
});
