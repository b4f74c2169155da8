import { silentLogger } from '@market-state/logging';
import { startStores, type TestStores } from '@market-state/testing';
import fc from 'fast-check';
import type { Pool } from 'pg';
import { CopyBinary, copyBinary, createPool, inTransaction } from '../src';

const TARGET = { table: 'written', columns: ['small', 'whole', 'big', 'name', 'bytes', 'amount'] };

interface Row {
  readonly small: number;
  readonly whole: number;
  readonly big: number;
  readonly name: string | null;
  readonly bytes: Uint8Array;
  readonly amount: string | null;
}

let stores: TestStores;
let pool: Pool;

beforeAll(async () => {
  stores = await startStores({ services: [] });
  pool = createPool({ url: await stores.emptyDatabaseUrl(), logger: silentLogger(), applicationName: 'test' });
  await pool.query(
    'CREATE TABLE written (place serial, small smallint, whole integer, big bigint, name text, bytes bytea, amount numeric)',
  );
});

afterAll(async () => {
  await pool.end();
  await stores.stop();
});

beforeEach(() => pool.query('TRUNCATE written RESTART IDENTITY'));

function write(copy: CopyBinary, { small, whole, big, name, bytes, amount }: Row): void {
  copy.row(TARGET.columns.length);
  copy.int2(small);
  copy.int4(whole);
  copy.int8(big);
  if (name === null) copy.null();
  else copy.text(name);
  copy.bytes(bytes);
  if (amount === null) copy.null();
  else copy.numeric(amount);
}

async function copied(rows: readonly Row[], copy = new CopyBinary(16)): Promise<unknown[]> {
  for (const row of rows) write(copy, row);
  expect(await inTransaction(pool, (client) => copyBinary(client, TARGET, copy.written()))).toBe(rows.length);
  const read = await pool.query<Record<string, unknown> & { big: string; bytes: Buffer }>(
    'SELECT small, whole, big, name, bytes, amount::text AS amount FROM written ORDER BY place',
  );
  return read.rows.map((row) => ({ ...row, big: Number(row.big), bytes: new Uint8Array(row.bytes) }));
}

const digits = (max: number) => fc.string({ unit: fc.constantFrom(...'0123456789'), minLength: 1, maxLength: max });
const decimal = fc
  .tuple(fc.constantFrom('', '-'), digits(30), fc.option(digits(40)))
  .map(([sign, whole, fraction]) => `${sign}${whole.replace(/^0+(?=\d)/, '')}${fraction === null ? '' : `.${fraction}`}`)
  .map((text) => (/[1-9]/.test(text) ? text : text.replace('-', '')));

test('the database reads every value as it was written', async () => {
  const rows = fc.sample(
    fc.record({
      small: fc.integer({ min: -32_768, max: 32_767 }),
      whole: fc.integer(),
      big: fc.maxSafeInteger(),
      name: fc.option(fc.string({ unit: 'grapheme', maxLength: 80 }).filter((text) => !text.includes('\0'))),
      bytes: fc.uint8Array({ maxLength: 300 }),
      amount: fc.option(decimal),
    }),
    { seed: 20_260_105, numRuns: 2_000 },
  );
  expect(await copied(rows)).toEqual(rows.map((row) => ({ ...row, bytes: new Uint8Array(row.bytes) })));
});

test('decimals at the edges of a group of digits keep every digit', async () => {
  const amounts = [
    '0',
    '0.0',
    '0.0001',
    '0.00001',
    '9999',
    '10000',
    '10000.0001',
    '100000000',
    '0.00000000000000000001',
    '12345678.90123',
    '-0.5',
    '1000000000000.000000000001',
  ];
  const rows = amounts.map((amount) => ({ small: 0, whole: 0, big: 0, name: null, bytes: new Uint8Array(), amount }));
  expect((await copied(rows)).map((row) => (row as Row).amount)).toEqual(amounts);
});

test('memory is used again after a reset', async () => {
  const copy = new CopyBinary();
  const row = { small: 1, whole: 2, big: 3, name: 'one', bytes: Uint8Array.of(1), amount: '1' };
  write(copy, row);
  copy.reset();
  expect(copy.length).toBe(0);
  expect(await copied([{ ...row, name: 'two' }], copy)).toEqual([{ ...row, name: 'two' }]);
});

test.each(['', '-', '.', '1.', '.5', '1e3', '+1', '1,5', '1.2.3', ' 1', 'NaN', '--1', '1-'])('%j is refused as a decimal', (text) => {
  expect(() => new CopyBinary().numeric(text)).toThrow(RangeError);
});
