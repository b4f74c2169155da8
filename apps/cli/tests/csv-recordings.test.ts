import { execFileSync } from 'node:child_process';
import { copyFileSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createWorkplace, run } from './run';
import { bareSnapshot, market, merged, type UsdmInstrument } from './usdm-lines';

const ROOT = join(import.meta.dirname, '../../..');
const FIXTURES = join(ROOT, 'libs/domain/market-data/fixtures/csv');
const INSTRUMENT = ['--instrument', 'symbol=BTCUSD-PERP,venue=northbay'];
const START_MS = 1_700_000_000_000;

const place = createWorkplace();
beforeAll(() => {
  for (const name of readdirSync(FIXTURES)) copyFileSync(join(FIXTURES, name), join(place.folder, name));
});
afterAll(() => place.remove());

async function refused(...args: readonly string[]): Promise<string> {
  const { exitCode, stdout, stderr } = await place.run(...args);
  expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
  return stderr;
}

describe('the page on recordings of any venue', () => {
  const page = readFileSync(join(ROOT, 'docs/how-to/recording.md'), 'utf8');
  const blocks = [...page.matchAll(/^```(\w*)[^\n]*\n([\s\S]*?)^```$/gm)].map(([, language = '', text = '']) => ({ language, text }));
  const commands = blocks.flatMap(({ text }) => text.split('\n').filter((line) => line.startsWith('npx market-state ')));
  const argsOf = (command: string): string[] => command.split(' ').slice(2);

  /** Changes of the book and trades in Kraken's form, every half second for 25 s. */
  const kraken = [
    { event: 'subscribed', feed: 'book', product_ids: ['PF_XBTUSD'] },
    {
      feed: 'book_snapshot',
      product_id: 'PF_XBTUSD',
      timestamp: START_MS,
      seq: 1,
      bids: [{ price: 36500, qty: 1.5 }],
      asks: [
        { price: 36500.5, qty: 2 },
        { price: 36501, qty: 4 },
      ],
    },
    ...Array.from({ length: 50 }, (_, index) => {
      const time = START_MS + 100 + index * 500;
      const [price, qty] = index % 2 === 0 ? [36500.5, 0] : [36500.5, 3];
      return [
        { feed: 'book', product_id: 'PF_XBTUSD', side: 'sell', seq: 2 + index, price, qty, timestamp: time },
        {
          feed: 'trade',
          product_id: 'PF_XBTUSD',
          uid: `45ee9737-${index}`,
          side: 'sell',
          type: 'fill',
          seq: index,
          time: time + 10,
          qty: 0.25,
          price: 36500,
        },
      ];
    }).flat(),
  ];

  test('has commands that label what it says', async () => {
    expect(commands).toHaveLength(4);
    const [own = '', label = '', rows = ''] = commands;
    const labelled = await place.run(...argsOf(own));
    expect(labelled).toMatchObject({ exitCode: 0, stderr: '' });
    expect(labelled.lines).toHaveLength(3);
    expect((await run(argsOf(label), ROOT)).stdout).toBe(labelled.stdout);
    const read = await run(argsOf(rows), ROOT);
    expect(read).toMatchObject({ exitCode: 0, stderr: '' });
    expect(read.stdout).toMatch(/connected, recorded: context, liquidation\n/);
    expect(read.stdout).toMatch(/long 0\.75 @ 36502 \(venue_reported\)/);
  });

  test('has a script that makes the files from lines of Kraken, which then are labelled', async () => {
    const script = blocks.find(({ language }) => language === 'python')?.text ?? '';
    place.write('kraken.py', script);
    const lines = kraken.map((message) => JSON.stringify(message)).join('\n');
    const there = createWorkplace();
    execFileSync('python3', [join(place.folder, 'kraken.py')], { cwd: there.folder, input: lines });
    const outcome = await there.run(...argsOf(commands[3] ?? ''));
    expect(outcome).toMatchObject({ exitCode: 0, stderr: '' });
    expect(outcome.lines).toHaveLength(4);
    const rows = await there.run(
      'rows',
      'book.csv',
      'trades.csv',
      '--instrument',
      'symbol=BTCUSD-PERP,venue=kraken,venue_instrument=PF_XBTUSD',
    );
    const events = rows.lines.map((line) => JSON.parse(line) as Record<string, unknown>);
    const books = events.filter(({ kind }) => kind === 'book') as { asks: [string, string][] }[];
    expect(books.slice(0, 3).map(({ asks }) => asks.map(([price]) => price))).toEqual([['36501'], ['36500.5', '36501'], ['36501']]);
    expect(events.find(({ kind }) => kind === 'trade')).toMatchObject({
      venue: 'kraken',
      venue_id: '45ee9737-0',
      aggressor_side: 'sell',
      size: '0.25',
    });
    there.remove();
  });

  test('has a first line for a file of trades that is there already', async () => {
    const [, header = ''] = /sed -i '1s\/\.\*\/([^/]+)\/'/.exec(page) ?? [];
    const text = ['time,price,volume,side', `${START_MS},36500.5,0.1,buy`, `${START_MS + 400},36500.5,0.2,sell`].join('\n');
    const file = place.write('theirs.csv', text.replace(/.*/, header));
    const { exitCode, stdout } = await place.run('rows', file, ...INSTRUMENT);
    expect(exitCode).toBe(0);
    expect(stdout.match(/"kind":"trade"/g)).toHaveLength(2);
  });
});

describe('CSV files', () => {
  test('without a description of the instrument are refused with one', async () => {
    expect(await refused('label', 'book.csv', 'trades.csv')).toBe(
      'market-state: a CSV names no instrument: describe it, as in --instrument symbol=BTCUSD-PERP,venue=kraken\n',
    );
  });

  test('have every faulty row of all of them named at once, and nothing written', async () => {
    const trades = readFileSync(join(FIXTURES, 'trades.csv'), 'utf8').split('\n');
    const books = readFileSync(join(FIXTURES, 'book.csv'), 'utf8').split('\n');
    const faulty = trades
      .with(2, `${START_MS + 1_150},36500.5,-1,bought,x`)
      .with(4, `170000000315,36500.5,1,buy,x`)
      .with(6, 'what')
      .with(8, (trades[7] ?? '').replace(String(START_MS + 6_150), String(START_MS + 100)));
    place.write('faulty-trades.csv', faulty.join('\n'));
    const cells = (books[3] ?? '').split(',');
    place.write('faulty-book.csv', books.with(3, cells.with(1, '36502').join(',')).with(59, 'n/a').join('\n'));
    expect(await refused('label', 'faulty-book.csv', 'faulty-trades.csv', ...INSTRUMENT)).toBe(
      [
        'market-state: 7 faults in CSV files:',
        '  faulty-book.csv:4: the best bid 36502 is above the best ask 36500.5',
        '  faulty-book.csv:60: row has 1 cells, the header has 13',
        '  faulty-trades.csv:3: size "-1" is not a positive number',
        '  faulty-trades.csv:3: aggressor_side "bought" is not buy or sell',
        '  faulty-trades.csv:5: exchange_time_ms "170000000315" is not milliseconds since 1970, such as 1723161256172',
        '  faulty-trades.csv:7: row has 1 cells, the header has 5',
        '  faulty-trades.csv:9: its exchange_time_ms is earlier than in the row above: sort rows by it, oldest first',
        '',
      ].join('\n'),
    );
  });

  test('with more faults than can be read name the first twenty and count the others', async () => {
    const trades = readFileSync(join(FIXTURES, 'trades.csv'), 'utf8').replaceAll(/,(buy|sell),/g, ',,');
    const stderr = await refused('label', place.write('no-side.csv', trades), ...INSTRUMENT);
    expect(stderr.match(/aggressor_side "" is not buy or sell/g)).toHaveLength(20);
    expect(stderr).toContain('market-state: 30 faults in CSV files:');
    expect(stderr).toMatch(/\n {2}… and 10 more\n$/);
  });

  test('with faulty headers have every fault of every header named', async () => {
    place.write('head-a.csv', 'exchange_time_ms,bid_price_1,bid_size_1,ask_price_1,ask_price_2,colour\n');
    place.write('head-b.csv', 'received_time_ms,price,price,aggressor_side\n');
    expect(await refused('label', 'head-a.csv', 'head-b.csv', ...INSTRUMENT)).toBe(
      [
        'market-state: 8 faults in CSV files:',
        '  head-a.csv:1: column ask_size_1 is missing',
        '  head-a.csv:1: unknown column "colour": remove it',
        '  head-a.csv:1: column bid_price_2 is missing',
        '  head-a.csv:1: column bid_size_2 is missing',
        '  head-a.csv:1: column ask_size_2 is missing',
        '  head-b.csv:1: column price appears twice',
        '  head-b.csv:1: column exchange_time_ms is missing (or _s, _us, _ns, _utc)',
        '  head-b.csv:1: column size is missing',
        '',
      ].join('\n'),
    );
  });

  test('without a row are refused', async () => {
    expect(await refused('label', place.write('head.csv', 'exchange_time_ms,price,size,aggressor_side\n'), ...INSTRUMENT)).toBe(
      'market-state: head.csv:1: no rows below the header\n',
    );
  });

  test('whose columns have other names are refused with the names to give them', async () => {
    const stderr = await refused('label', place.write('named.csv', 'time,price,volume,side\n1,2,3,b\n'), ...INSTRUMENT);
    expect(stderr).toContain('named.csv:1: CSV has no column exchange_time_ms (or _s, _us, _ns, _utc)');
    expect(stderr).toContain('\n  trades: exchange_time_ms,price,size,aggressor_side[,trade_id]\n');
    const parted = await refused('label', place.write('parted.csv', 'exchange_time_ms;price;size;aggressor_side\n'), ...INSTRUMENT);
    expect(parted).toContain('parted.csv:1: columns are not separated by commas');
  });
});

describe('--instrument', () => {
  test('has everything named that is wrong with it', async () => {
    expect(await refused('label', 'trades.csv', '--instrument', 'symbol=BTC,contract_value=0,contract_size=ten,tick=1')).toBe(
      [
        'market-state: --instrument: symbol must be <BASE>USD-PERP, such as SOLUSD-PERP',
        'market-state: --instrument: venue is required: the name of the venue, such as kraken',
        'market-state: --instrument: contract_value must be a plain positive number, such as 10 or 0.01',
        'market-state: --instrument: contract_size must be a plain positive number, such as 10 or 0.01',
        'market-state: --instrument: tick: unknown; expected symbol, venue, venue_instrument, contract_value, contract_size, ' +
          'book_staleness_ms, trade_staleness_ms, context_staleness_ms, closing_lag_ms',
        '',
      ].join('\n'),
    );
    expect(await refused('label', 'trades.csv', '--instrument', 'symbol=BTCUSD-PERP,kraken')).toBe(
      'market-state: --instrument: "kraken" is not name=value\n',
    );
    expect(await refused('label', 'trades.csv', '--instrument', 'nowhere.json')).toContain('nowhere.json is neither a description');
  });

  test('may be a JSON file, and says what the sizes of files are', async () => {
    const base = { symbol: 'BTCUSD-PERP', venue: 'northbay' };
    const first = async (description: object): Promise<unknown> => {
      const { lines } = await place.run('rows', 'trades.csv', '--instrument', place.write('it.json', JSON.stringify(description)));
      const row = lines.map((line) => JSON.parse(line) as Record<string, unknown>).find(({ kind }) => kind === 'trade');
      return [row?.['size'], row?.['venue_size']];
    };
    expect(await first(base)).toEqual(['0.1', undefined]);
    expect(await first({ ...base, contract_size: '0.01' })).toEqual(['0.001', undefined]);
    // 0.1 contracts of 100 dollars at 36,500.5.
    expect(await first({ ...base, contract_value: 100 })).toEqual(['0.00027396885', '0.1']);
  });

  test('gives a COIN-M recording the contract value that the instrument table does not have', async () => {
    const received = (atMs: number, message: object): string => `${START_MS + atMs}000000 ${JSON.stringify(message)}`;
    const data = (ms: number, fields: object) => ({ E: ms, T: ms, s: 'SOLUSD_PERP', ...fields });
    const lines = Array.from({ length: 50 }, (_, index) => {
      const [atMs, ms] = [100 + index * 500, START_MS + 100 + index * 500];
      const diff = { e: 'depthUpdate', ps: 'SOLUSD', U: 10 + index, u: 10 + index, pu: 9 + index, b: [['58.1', '7']], a: [['58.2', '9']] };
      const trade = { e: 'trade', t: index, p: '58.2', q: '4', X: 'MARKET', m: false };
      return [
        received(atMs, { stream: 'solusd_perp@depth@100ms', data: data(ms, diff) }),
        received(atMs + 1, { stream: 'solusd_perp@trade', data: data(ms, trade) }),
      ];
    }).flat();
    const snapshot = {
      lastUpdateId: 10,
      E: START_MS,
      T: START_MS,
      symbol: 'SOLUSD_PERP',
      pair: 'SOLUSD',
      bids: [['58.1', '5']],
      asks: [['58.2', '6']],
    };
    place.write('solusd_perp.txt', [received(50, snapshot), ...lines].join('\n'));
    const stderr = await refused('label', 'solusd_perp.txt');
    expect(stderr).toMatch(
      /^market-state: the recording contains no known symbol: no message states the US dollar value of a SOLUSD_PERP contract/,
    );
    const [description = ''] = /symbol=\S+/.exec(stderr) ?? [];
    expect(await place.run('label', 'solusd_perp.txt', '--instrument', description)).toMatchObject({ exitCode: 0, stderr: '' });
    const rows = await place.run('rows', 'solusd_perp.txt', '--instrument', description);
    const trade = rows.lines.map((line) => JSON.parse(line) as Record<string, unknown>).find(({ kind }) => kind === 'trade');
    // 4 contracts of 10 dollars at 58.2.
    expect(trade).toMatchObject({ symbol: 'SOLUSD-PERP', venue: 'binance-coinm', size: '0.687285223368', venue_size: '4' });
    expect(
      await refused('label', 'solusd_perp.txt', '--instrument', 'symbol=SOLUSD-PERP,venue=binance-coinm,venue_instrument=SOLUSD_PERP'),
    ).toBe('market-state: --instrument: contract_value is required: quantities are contracts\n');
  });

  test('gives an instrument of another name its symbol', async () => {
    const { bid, ask, name }: UsdmInstrument = { name: 'BTCUSDC', bid: '61800.1', ask: '61800.2' };
    const lines = merged(market({ name, bid, ask }, 100), [bareSnapshot({ name, bid, ask }, 150, 1_010)]);
    const file = place.write('usdc.txt', lines);
    expect(await refused('label', file)).toBe(
      'market-state: the recording contains no known symbol: BTCUSDC is not quoted in USDT, so it has no ' +
        'symbol of its own; choose its symbol, as in --instrument symbol=BTCUSD-PERP,venue=binance-usdm,venue_instrument=BTCUSDC\n',
    );
    const description = 'symbol=BTCUSD-PERP,venue=binance-usdm,venue_instrument=BTCUSDC,book_staleness_ms=7000';
    expect(await place.run('label', file, '--instrument', description)).toMatchObject({ exitCode: 0, stderr: '' });
    const { lines: rows } = await place.run('rows', file, '--instrument', description);
    expect(JSON.parse(rows[0] ?? '')).toMatchObject({ symbol: 'BTCUSD-PERP', venue: 'binance-usdm', status: { book_staleness_ms: 7_000 } });
  });

  test('of something else than the recording is refused', async () => {
    const rows = await place.run('rows', 'trades.csv', ...INSTRUMENT);
    const file = place.write('rows.ndjson', rows.stdout);
    expect(await refused('label', file, '--instrument', 'symbol=BTCUSD-PERP,venue=other')).toContain(
      'the described instrument is BTCUSD-PERP of other as BTCUSD-PERP, but the recording contains ',
    );
  });
});
