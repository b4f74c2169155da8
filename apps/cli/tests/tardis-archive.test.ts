import { gzipSync } from 'node:zlib';
import { asTardis } from './as-tardis';
import { identityless } from './identityless';
import { BTC, createWorkplace, run } from './run';

const place = createWorkplace();
afterAll(() => place.remove());
const { book, trades } = asTardis(BTC, 'BTCUSD_PERP');
const files = ['BTCUSD_PERP_incremental_book_L2.csv.gz', 'BTCUSD_PERP_trades.csv.gz'];
beforeAll(() => [book, trades].forEach((text, index) => place.write(files[index] ?? '', gzipSync(text))));

/** From the recording's publisher: open, high, low, close, contracts, trades per minute from 23:55 on. */
const CANDLES = [
  ['61809.1', '61845', '61764.5', '61764.5', 2836, 164],
  ['61763.7', '61763.7', '61708.8', '61710.9', 4340, 189],
  ['61708.9', '61720.5', '61632', '61642', 21428, 479],
  ['61633.6', '61728.6', '61610', '61699.2', 36372, 875],
  ['61699.2', '61730.6', '61659', '61668.6', 14559, 400],
  ['61668.7', '61730.6', '61611.6', '61611.7', 9698, 449],
];
const FIRST_MS = Date.parse('2024-08-08T23:55:00Z');

describe('an archive of Tardis', () => {
  test('has the packets of the venue’s own messages of the same time', async () => {
    const [own, archive] = [await run(['label', ...BTC], place.folder), await place.run('label', ...files)];
    expect(archive).toMatchObject({ exitCode: 0 });
    expect(archive.lines).toHaveLength(65);
    expect(archive.lines.map(identityless)).toEqual(own.lines.map(identityless));
  });

  test('has a row for each trade, and its own candles', async () => {
    const { lines } = await place.run('rows', ...files);
    const rows = lines.map((line) => JSON.parse(line) as Record<string, string> & { exchange_ts_ms: number });
    const tape = rows.filter(({ kind }) => kind === 'trade');
    expect(tape).toHaveLength(trades.trimEnd().split('\n').length - 1);
    const candles = CANDLES.map((_, minute) => {
      const of = tape.filter(({ exchange_ts_ms: atMs }) => Math.floor((atMs - FIRST_MS) / 60_000) === minute);
      const prices = of.map(({ price }) => price ?? '');
      const sorted = prices.toSorted((a, b) => Number(a) - Number(b));
      return [prices[0], sorted.at(-1), sorted[0], prices.at(-1), of.reduce((sum, each) => sum + Number(each['venue_size']), 0), of.length];
    });
    expect(candles).toEqual(CANDLES);
  });
});
