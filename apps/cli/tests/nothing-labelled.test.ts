import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createWorkplace, firstRows } from './run';
import { bareSnapshot, market, merged, type UsdmInstrument } from './usdm-lines';

const place = createWorkplace();
afterAll(() => place.remove());

const BTC_USDT: UsdmInstrument = { name: 'BTCUSDT', bid: '61800.1', ask: '61800.2' };
const FIXTURES = join(import.meta.dirname, '../../../libs/domain/market-data/fixtures');
const whole = merged(market(BTC_USDT, 100), [bareSnapshot(BTC_USDT, 150, 1_010)]).split('\n');

/** Every command that labels refuses the file with the same sentence, and writes nothing. */
async function refusedBy(commands: readonly string[], file: string): Promise<string> {
  const texts = new Set<string>();
  for (const command of commands) {
    const options = { report: ['--out', 'page.html'], 'diff-policy': ['--a', 'default', '--b', 'default'] }[command] ?? [];
    const { exitCode, stdout, stderr } = await place.run(command, file, ...options);
    expect({ command, exitCode, stdout }).toEqual({ command, exitCode: 2, stdout: '' });
    texts.add(stderr);
  }
  expect([...texts]).toHaveLength(1);
  return [...texts][0] ?? '';
}

const LABELLING = ['label', 'report', 'diff-policy'] as const;
const READING = [...LABELLING, 'rows'] as const;

describe('a recording whose receive times are', () => {
  test.each([
    [
      'microseconds',
      (line: string) => line.replace(/^(\d{16})\d{3} /, '$1 '),
      /^market-state: times\.txt:1: receive times are microseconds [^\n]*three zeros[^\n]*\n$/,
    ],
    [
      'milliseconds',
      (line: string) => line.replace(/^(\d{13})\d{6} /, '$1 '),
      /^market-state: times\.txt:1: receive times are milliseconds [^\n]*six zeros[^\n]*\n$/,
    ],
    [
      'seconds',
      (line: string) => line.replace(/^(\d{10})(\d{3})\d{6} /, '$1.$2 '),
      /^market-state: times\.txt:1: receive times are seconds [^\n]*19 digits[^\n]*\n$/,
    ],
    [
      'of 17 digits',
      (line: string) => line.replace(/^(\d{17})\d{2} /, '$1 '),
      /^market-state: times\.txt:1: receive time has 17 digits; [^\n]*with 19 digits\n$/,
    ],
    [
      'missing',
      (line: string) => line.slice(20),
      /^market-state: times\.txt:1: lines start with the message [^\n]*receive time in nanoseconds[^\n]*\n$/,
    ],
  ])('%s is refused with its line and what to do', async (_what, spoilt, sentence) => {
    expect(await refusedBy(READING, place.write('times.txt', whole.map(spoilt).join('\n')))).toMatch(sentence);
  });

  test('milliseconds in a Bybit capture or a collector file is refused likewise', async () => {
    const capture = readFileSync(join(FIXTURES, 'bybit/btcusdt-dogeusdt.jsonl'), 'utf8').replaceAll(/"ts":(\d{10})\.\d+/g, '"ts":$1000');
    expect(await refusedBy(READING, place.write('capture.jsonl', capture))).toBe(
      'market-state: capture.jsonl:1: receive time is "1700000000000" but must be seconds since 1970, such as 1786310819.726\n',
    );
    const books = readFileSync(join(FIXTURES, 'hyperliquid-collector/hand_orderbooks_BTC.csv'), 'utf8').replaceAll(
      /^(\d{10})\.[0-9]+,/gm,
      '$1000,',
    );
    expect(await refusedBy(READING, place.write('hand_orderbooks_BTC.csv', books))).toMatch(
      /^market-state: hand_orderbooks_BTC\.csv:2: receive time is "\d{13}" but must be seconds since 1970/,
    );
  });
});

test('a recording of a few seconds says what was read, when the first window would close, and how long to record', async () => {
  const file = place.write('short.txt', whole.slice(0, 9).join('\n'));
  expect(await refusedBy(LABELLING, file)).toBe(
    'market-state: short.txt: nothing was labelled: 9 lines gave 4 books, 4 trades, received from 2023-11-14T22:13:20.100Z to ' +
      '2023-11-14T22:13:21.601Z (1.5 s); the first window ends at 2023-11-14T22:13:30Z and closes 1,000 ms later, 9.4 s after the last line: ' +
      'record at least 21 s\n',
  );
});

describe('rows', () => {
  let rows: readonly string[] = [];
  beforeAll(async () => {
    rows = await firstRows(1_500);
  });

  test('without a connected entry are refused with what to give instead', async () => {
    const file = place.write('middle.ndjson', rows.slice(100).join('\n'));
    expect(await refusedBy(LABELLING, file)).toMatch(
      /^market-state: middle\.ndjson: nothing was labelled: 1,400 lines gave [\d,]+ books, [\d,]+ trades, received from 2024-08-08T\S+ to \S+ \([\d.]+ s\); no connected entry with [^\n]*: provide the rows from the beginning of their log[^\n]*\n$/,
    );
  });

  test('without ticks are refused with what they lack', async () => {
    const kept = rows
      .filter((row) => !row.includes('"kind":"tick"'))
      .map((row, index) => row.replace(/"ordinal":\d+/, `"ordinal":${index + 1}`));
    expect(await refusedBy(LABELLING, place.write('tickless.ndjson', kept.join('\n')))).toContain('no tick follows the connected entry');
  });

  test('whose times are microseconds are refused with the line', async () => {
    const spoilt = rows.map((row) => row.replaceAll(/_ms":(\d{13})/g, '_ms":$1000'));
    expect(await refusedBy(LABELLING, place.write('micro.ndjson', spoilt.join('\n')))).toMatch(
      /^market-state: micro\.ndjson:1: (?:exchange|received)_ts_ms \d{16} is microseconds or finer; row times are milliseconds since 1970\n$/,
    );
  });

  test('whose times are seconds are refused with what to do', async () => {
    const spoilt = rows.map((row) => row.replaceAll(/_ms":(\d{10})\d{3}/g, '_ms":$1'));
    expect(await refusedBy(LABELLING, place.write('seconds.ndjson', spoilt.join('\n')))).toContain(
      'times must be milliseconds since 1970, such as 1723161256172: multiply seconds by 1,000',
    );
  });
});
