import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { eventOfColumns, rowLine } from '@market-state/market-data';
import { type ExportApi, startExportApi } from './export-api';
import { type Cells, chainOf, columnsWithout, dataName, flipByte, FROM_MS, SYMBOL, writeExport } from './export-folder';
import { createWorkplace, run } from './run';

const place = createWorkplace({ apiKey: 'good' });
const data = dataName('trades');
let api: ExportApi;
let total = 0;

beforeAll(async () => {
  api = await startExportApi();
});
afterAll(() => {
  api.close();
  place.remove();
});

function trade(ordinal: number, minute: number, price = '100.5'): Cells {
  const timeMs = FROM_MS + minute * 60_000;
  return {
    ...{ symbol: SYMBOL, venue: 'hyperliquid', ordinal, epoch: 1, pass: 0, exchange_ts_ms: timeMs, received_ts_ms: timeMs + 5 },
    ...{ exchange_time_utc: new Date(timeMs).toISOString(), received_time_utc: new Date(timeMs + 5).toISOString() },
    ...{
      exchange_ts_is_receive_time: false,
      flags: 0,
      venue_id: String(ordinal),
      price,
      size: '2',
      venue_size: null,
      aggressor_side: 'buy',
    },
  };
}

/** Two in the first hour, of which one came late; one in the second; none in the third. */
const trades = [trade(1, 5), trade(2, 70), trade(3, 50)];

function lineOf(cells: Cells): string {
  const event = eventOfColumns('trade', cells);
  return event === undefined ? '' : rowLine(event);
}

function serve(rows: readonly Cells[]): void {
  api.served.lines = rows.map((row) => ({ timeMs: Number(row['exchange_ts_ms']), line: lineOf(row) }));
}

function folderOf(rows: readonly Cells[], options = {}): string {
  return writeExport(join(place.folder, `export-${(total += 1)}`), { dataset: 'trades', rows, ...options });
}

function compare(folder: string) {
  return place.run('verify-export', folder, '--url', api.url);
}

test('a whole export is chained as a receipt is, over the symbol and for each hour', async () => {
  const { exitCode, stdout } = await place.run('verify-export', folderOf(trades), '--windows');
  expect(exitCode).toBe(0);
  expect(stdout).toContain('exp_test  WHOLE: ');
  expect(stdout).toContain('files         3 of 3 match the manifest');
  expect(stdout).toContain(`${SYMBOL}   3 rows, chain ${chainOf(trades.map(lineOf))}`);
  const [first = {}, second = {}, late = {}] = trades;
  expect(stdout).toContain(`2026-01-02T10:00:00Z to 2026-01-02T11:00:00Z  2  ${chainOf([lineOf(first), lineOf(late)])}`);
  expect(stdout).toContain(`2026-01-02T11:00:00Z to 2026-01-02T12:00:00Z  1  ${chainOf([lineOf(second)])}`);
  expect(stdout).toContain(`2026-01-02T12:00:00Z to 2026-01-02T12:30:00Z  0  ${'0'.repeat(64)}`);
});

test('an export that the API answers alike is equal, also where the API is busy at first', async () => {
  serve(trades);
  api.served.busy = 2;
  const { exitCode, stdout } = await compare(folderOf(trades));
  expect([exitCode, stdout]).toEqual([0, expect.stringContaining('3 windows of up to one hour: 3 equal to the API, 0 different')]);
  expect(stdout).toContain('exp_test  EQUAL: ');
});

test('a row that was changed together with all digests: the hour is named', async () => {
  serve(trades);
  const { exitCode, stdout } = await compare(folderOf([trade(1, 5), trade(2, 70, '100.6'), trade(3, 50)]));
  expect([exitCode, stdout]).toEqual([1, expect.stringContaining('2 equal to the API, 1 different')]);
  expect(stdout).toContain(`fault         ${SYMBOL}: first difference: 2026-01-02T11:00:00Z to 2026-01-02T12:00:00Z: 1 rows with chain`);
});

test('every fault of the files is named at once', async () => {
  const folder = folderOf(trades);
  flipByte(folder, data);
  rmSync(join(folder, 'load.sql'));
  writeFileSync(join(folder, 'notes.txt'), 'mine');
  const { exitCode, stdout } = await place.run('verify-export', folder);
  expect(exitCode).toBe(1);
  expect(stdout).toContain('exp_test  DIFFERENT: ');
  expect(stdout).toMatch(new RegExp(`${data}: expected SHA-256 [0-9a-f]{64}, found [0-9a-f]{64}`));
  expect(stdout).toContain('load.sql: missing');
  expect(stdout).toContain('notes.txt: unexpected');
  expect(stdout).toContain(`${SYMBOL}   not read`);
});

test('lists of files that do not agree are named', async () => {
  const folder = folderOf(trades);
  writeFileSync(join(folder, 'SHA256SUMS'), `${'0'.repeat(64)}  ${data}\nnonsense\n${'1'.repeat(64)}  gone.csv\n`);
  const { exitCode, stdout } = await place.run('verify-export', folder);
  expect(exitCode).toBe(1);
  for (const fault of [
    `${data}: SHA256SUMS has ${'0'.repeat(64)}, manifest.json has`,
    'SHA256SUMS: line 2 is not a digest followed by a name',
    'SHA256SUMS: gone.csv is not in manifest.json',
    'SHA256SUMS: load.sql is not listed',
    'SHA256SUMS: manifest.json is not listed',
  ])
    expect(stdout).toContain(fault);
});

test('rows that are no rows of the log, of another symbol, outside the span, or too few are named', async () => {
  const rows = [{ ...trade(1, 5), price: '-1' }, { ...trade(2, 6), symbol: 'ETHUSD-PERP' }, trade(3, 200)];
  const { exitCode, stdout } = await place.run('verify-export', folderOf(rows, { listedRows: 4 }));
  expect(exitCode).toBe(1);
  expect(stdout).toMatch(new RegExp(`${data}: row 1: price`));
  expect(stdout).toContain(`${data}: row 2 belongs to ETHUSD-PERP`);
  expect(stdout).toContain(`${data}: row 3 is outside the span of the export`);
  expect(stdout).toContain(`${data}: expected 4 rows, found 3`);
});

test('of many faults of one file, the first are named and the rest counted', async () => {
  const rows = Array.from({ length: 9 }, (_, index) => ({ ...trade(index + 1, 5), price: '-1' }));
  const { stdout } = await place.run('verify-export', folderOf(rows));
  expect(stdout.split('\n').filter((line) => / row \d: price/.test(line))).toHaveLength(5);
  expect(stdout).toContain(`${data}: and 4 more like these`);
});

test('columns other than the manifest says are named', async () => {
  const folder = folderOf(trades);
  const other = folderOf(trades, { columns: columnsWithout('trades', 'flags') });
  const [manifest, sums] = ['manifest.json', 'SHA256SUMS'];
  expect((await place.run('verify-export', other)).exitCode).toBe(0);
  const text = (name: string, from: string): string => readFileSync(join(from, name), 'utf8');
  const listed = JSON.parse(text(manifest, other)) as { columns: unknown };
  listed.columns = (JSON.parse(text(manifest, folder)) as { columns: unknown }).columns;
  writeFileSync(join(other, manifest), JSON.stringify(listed));
  rmSync(join(other, sums));
  const { exitCode, stdout } = await place.run('verify-export', other);
  expect([exitCode, stdout]).toEqual([1, expect.stringContaining('SHA256SUMS: missing')]);
  expect(stdout).toContain(`${data}: `);
});

test('rows from before exchange_ts_is_receive_time are counted as unchecked, and their hours are not compared', async () => {
  serve(trades);
  const folder = folderOf([{ ...trade(1, 5), exchange_ts_is_receive_time: null }, ...trades.slice(1)]);
  const { exitCode, stdout } = await compare(folder);
  expect([exitCode, stdout]).toEqual([3, expect.stringContaining('exp_test  INCOMPLETE: ')]);
  expect(stdout).toContain('1 unchecked: recorded before exchange_ts_is_receive_time existed');
  expect(stdout).toContain('1 not compared, the first: 2026-01-02T10:00:00Z to 2026-01-02T11:00:00Z: 1 of its rows cannot be checked');
});

test('too few columns: rows are counted, and the output says so', async () => {
  const folder = folderOf(trades, { columns: ['exchange_ts_ms', 'price'], checkable: false });
  const { exitCode, stdout } = await place.run('verify-export', folder);
  expect([exitCode, stdout]).toEqual([0, expect.stringContaining('only counted: rows cannot be converted back')]);
  expect((await compare(folder)).exitCode).toBe(3);
});

test('an hour that the API no longer keeps is not compared, unless the export has no row of it', async () => {
  serve(trades);
  api.served.keptFromMs = FROM_MS + 3_600_000;
  const withRows = await compare(folderOf(trades));
  expect([withRows.exitCode, withRows.stdout]).toEqual([3, expect.stringContaining('the API returned 410: Not kept.')]);
  const without = await compare(folderOf(trades.slice(1, 2)));
  expect([without.exitCode, without.stdout]).toEqual([0, expect.stringContaining('1 without rows, here and in the API')]);
  api.served.keptFromMs = 0;
});

test('a folder that is no export, and options that do not go together, are refused with every fault', async () => {
  const empty = await place.run('verify-export', 'nowhere');
  expect([empty.exitCode, empty.stderr]).toEqual([2, expect.stringContaining('no such file')]);
  const folder = folderOf(trades);
  writeFileSync(join(folder, 'manifest.json'), '{"schema":"other","files":[{"name":"../../etc/passwd"}]}');
  const bad = await place.run('verify-export', folder);
  expect([bad.exitCode, bad.stderr]).toEqual([2, expect.stringContaining('files.0.name')]);
  expect(bad.stderr).toContain('schema: ');
  const options = await place.run('verify-export', folder, 'more', '--url', 'ftp://x', '--output', 'xml');
  expect(options.exitCode).toBe(2);
  for (const fault of ['name one folder only', '--url must look like', '--output must be']) expect(options.stderr).toContain(fault);
  const key = await run(['verify-export', folderOf(trades), '--url', api.url], place.folder, undefined, { apiKey: 'wrong' });
  expect([key.exitCode, key.stderr]).toEqual([4, expect.stringContaining('returned 401: No such key.')]);
});

test('ndjson has everything in one line', async () => {
  const { exitCode, lines } = await place.run('verify-export', folderOf(trades), '--output', 'ndjson');
  expect([exitCode, lines.length]).toEqual([0, 1]);
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({
    schema: 'market_state_export_verification.v1',
    verdict: 'whole',
    job_id: 'exp_test',
    symbols: [{ symbol: SYMBOL, rows: 3, sha256: chainOf(trades.map(lineOf)) }],
    faults: [],
  });
});
