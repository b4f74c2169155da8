import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isParquet, parquetLines, UnreadableFileError } from '../src/index';

const folder = mkdtempSync(join(tmpdir(), 'parquet-lines-'));
afterAll(() => rmSync(folder, { recursive: true }));

async function written(select: string): Promise<string> {
  const path = join(folder, 'file.parquet');
  const { openEngine } = await import('@market-state/archive');
  const engine = await openEngine({ memoryMb: 256 });
  await engine.run((connection) => connection.run(`COPY (${select}) TO '${path}' (FORMAT parquet)`));
  engine.close();
  return path;
}

async function linesOf(...args: Parameters<typeof parquetLines>): Promise<string[]> {
  const lines: string[] = [];
  for await (const batch of parquetLines(...args)) lines.push(...batch);
  return lines;
}

const SELECT = `SELECT TIMESTAMP_NS '2023-11-14 22:13:20.150999' AS ts, 36500.5::DOUBLE AS px, 0.0000001::DOUBLE AS qty,
  1.500::DECIMAL(18, 3) AS exact, 'b,uy' AS side, NULL::INTEGER AS none, TIMESTAMPTZ '2023-11-14 22:13:20+00' AS zoned`;

test('columns keep their names and digits; instants are UTC', async () => {
  const path = await written(SELECT);
  expect(await isParquet(path)).toBe(true);
  expect(await linesOf(path)).toEqual([
    'ts,px,qty,exact,side,none,zoned',
    '2023-11-14T22:13:20.150999Z,36500.5,1e-07,1.500,"b,uy",,2023-11-14T22:13:20.000000Z',
  ]);
});

test('mapped columns have their new names and order, instants the unit of the name', async () => {
  const path = await written(SELECT);
  const names = [
    ['price', 'last'],
    ['price', 'px'],
    ['exchange_time_ms', 'ts'],
    ['received_time_us', 'zoned'],
    ['size', 'amount'],
  ] as const;
  expect(await linesOf(path, names)).toEqual(['price,exchange_time_ms,received_time_us', '36500.5,1700000000150,1700000000000000']);
  expect(
    await linesOf(path, [
      ['exchange_time_ns', 'ts'],
      ['exchange_time_s', 'zoned'],
    ]),
  ).toEqual(['exchange_time_ns,exchange_time_s', '1700000000150999000,1700000000.0']);
});

test('rows keep the order of the file', async () => {
  const path = await written('SELECT range AS n FROM range(50000)');
  expect(await linesOf(path)).toEqual(['n', ...Array.from({ length: 50_000 }, (_, n) => String(n))]);
});

test('a file without any of the columns is read as it is', async () => {
  expect(await linesOf(await written('SELECT 7 AS price'), [['size', 'amount']])).toEqual(['price', '7']);
});

test('a damaged file is refused', async () => {
  const damaged = join(folder, 'damaged.parquet');
  writeFileSync(damaged, 'PAR1 and nothing else');
  await expect(linesOf(damaged)).rejects.toThrow(UnreadableFileError);
  await expect(linesOf(damaged)).rejects.toThrow('corrupt Parquet');
});
