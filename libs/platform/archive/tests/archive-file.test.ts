import { createHash } from 'node:crypto';
import { appendFile, mkdtemp, readdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  ArchiveCorruptError,
  type ArchiveLayout,
  createArchiveReader,
  createFolderStore,
  manifestKeyOf,
  type ObjectStore,
  readManifest,
  type Row,
  RowChain,
  verifyArchiveFile,
  writeArchiveFile,
} from '../src';
import { loadDuckDb } from '../src/engine';

const KEY = 'channel=trades/symbol=BTCUSD-PERP@okx/date=2026-01-05/hour=23/part.parquet';
const layout: ArchiveLayout = {
  columns: [
    { name: 'ordinal', type: 'int64' },
    { name: 'flags', type: 'int16' },
    { name: 'time_ms', type: 'int64' },
    { name: 'venue_id', type: 'text' },
    { name: 'payload', type: 'blob' },
    { name: 'levels', type: { list: ['price', 'size'] } },
  ],
  ordinal: 'ordinal',
  time: 'time_ms',
  payload: 'payload',
};
const TOTAL = 10_000;

function rowOf(ordinal: number): Row {
  const payload = createHash('sha256')
    .update(String(ordinal))
    .digest()
    .subarray(0, ordinal % 33);
  return [
    ordinal,
    ordinal % 64,
    1_700_000_000_000 + ordinal,
    ordinal % 5 === 0 ? null : `id ${ordinal} ’\u0000"`,
    payload,
    ordinal % 7 === 0 ? [] : [{ price: `${ordinal}.10`, size: null }],
  ];
}

const all = Array.from({ length: TOTAL }, (_, index) => rowOf(index * 3 + 1));

async function* pieces(rows: readonly Row[], size = 700): AsyncGenerator<readonly Row[]> {
  for (let from = 0; from < rows.length; from += size) yield rows.slice(from, from + size);
}

let root: string;
let store: ObjectStore;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'archive-'));
  store = createFolderStore(root);
});

afterEach(() => rm(root, { recursive: true, force: true }));

function write(rows: readonly Row[] = all, into = store) {
  return writeArchiveFile(into, { key: KEY, layout, rows: () => pieces(rows), gapIds: ['gap_1'] });
}

function chainOf(rows: readonly Row[]): string {
  const chain = new RowChain();
  for (const row of rows) chain.add(row[4] as Uint8Array);
  return chain.hex();
}

test('the manifest states what is in the file, and the file returns every value in order', async () => {
  const manifest = await write();
  const path = await store.get(KEY);
  expect(manifest).toMatchObject({
    rows: TOTAL,
    bytes: (await stat(path)).size,
    sha256: createHash('sha256')
      .update(await readFile(path))
      .digest('hex'),
    rows_sha256: chainOf(all),
    first_ordinal: 1,
    last_ordinal: 29_998,
    min_time_ms: 1_700_000_000_001,
    max_time_ms: 1_700_000_029_998,
    gap_ids: ['gap_1'],
  });
  expect(await readManifest(store, KEY)).toEqual(manifest);
  await expect(verifyArchiveFile(store, manifest, layout)).resolves.toBeUndefined();

  const reader = createArchiveReader(store);
  const scalars = layout.columns.slice(0, 5);
  const rows = await reader.read({ key: KEY, sha256: manifest.sha256 }, { columns: scalars, filters: [] });
  expect(rows.map((row) => row.map((value) => (value instanceof Uint8Array ? Buffer.from(value) : value)))).toEqual(
    all.map((row) => row.slice(0, 5).map((value) => (value instanceof Uint8Array ? Buffer.from(value) : value))),
  );
  await reader.close();
  expect(await readdir(join(root, '.scratch'))).toEqual([]);
});

test('a chain digest is that of its definition', () => {
  const chain = new RowChain();
  chain.add(Buffer.from('a'));
  chain.add(Buffer.from('b'));
  const first = createHash('sha256').update(Buffer.alloc(32)).update('a').digest();
  expect(chain.hex()).toBe(createHash('sha256').update(first).update('b').digest('hex'));
});

test('a range, a bit mask and a limit choose rows; counting agrees', async () => {
  const { sha256 } = await write();
  const reader = createArchiveReader(store);
  const filters = [
    { column: 'ordinal', from: 12_001, to: 20_000 },
    { column: 'flags', withoutBits: 32 },
  ];
  const wanted = all
    .filter(([ordinal, flags]) => Number(ordinal) >= 12_001 && Number(ordinal) < 20_000 && (Number(flags) & 32) === 0)
    .map(([ordinal]) => ordinal);
  const columns = layout.columns.slice(0, 1);
  expect((await reader.read({ key: KEY, sha256 }, { columns, filters })).map(([ordinal]) => ordinal)).toEqual(wanted);
  expect((await reader.read({ key: KEY, sha256 }, { columns, filters, limit: 17 })).map(([ordinal]) => ordinal)).toEqual(
    wanted.slice(0, 17),
  );
  expect(await reader.count({ key: KEY, sha256 }, filters)).toBe(wanted.length);
  await reader.close();
});

test('the hive layout reads with partition columns, and lists as structs', async () => {
  await write();
  const { DuckDBInstance } = await loadDuckDb();
  const connection = await (await DuckDBInstance.create()).connect();
  const result = await connection.runAndReadAll(
    `SELECT channel, symbol, date::VARCHAR AS date, hour, count(*)::INTEGER AS total,
      sum(levels[1].price::DECIMAL(38, 18))::VARCHAR AS prices
     FROM read_parquet('${root}/**/*.parquet', hive_partitioning = true) GROUP BY ALL`,
  );
  expect(result.getRowObjectsJson()).toMatchObject([{ channel: 'trades', symbol: 'BTCUSD-PERP@okx', date: '2026-01-05', total: TOTAL }]);
  const groups = await connection.runAndReadAll(`SELECT DISTINCT compression FROM parquet_metadata('${root}/**/*.parquet')`);
  expect(groups.getRows()).toEqual([['ZSTD']]);
  connection.closeSync();
});

test('a verified file is never written again: its rows are not even asked for', async () => {
  const manifest = await write();
  const again = await writeArchiveFile(store, {
    key: KEY,
    layout,
    gapIds: [],
    rows: () => {
      throw new Error('asked for');
    },
  });
  expect(again).toEqual(manifest);
});

test.each<[string, (into: ObjectStore) => ObjectStore]>([
  ['before the file is put', (into) => ({ ...into, put: () => Promise.reject(new Error('killed')) })],
  [
    'before the manifest is put',
    (into) => ({ ...into, put: (key, file) => (key === KEY ? into.put(key, file) : Promise.reject(new Error('killed'))) }),
  ],
  [
    'after half a file came to stand there',
    (into) => ({
      ...into,
      async put(key, file) {
        await into.put(key, file);
        await truncate(await into.get(key), 1_000);
        throw new Error('killed');
      },
    }),
  ],
])('a writer killed %s leaves what the next one replaces', async (_, fault) => {
  await expect(write(all.slice(0, 500), fault(store))).rejects.toThrow('killed');
  expect(await readManifest(store, KEY)).toBeUndefined();
  const manifest = await write();
  expect(manifest.rows).toBe(TOTAL);
  await verifyArchiveFile(store, manifest, layout);
});

test('a store that gives back other bytes than it was given gets no manifest', async () => {
  const lossy: ObjectStore = {
    ...store,
    async put(key, file) {
      await store.put(key, file);
      if (key === KEY) await appendFile(await store.get(key), 'x');
    },
  };
  await expect(write(all, lossy)).rejects.toThrow(ArchiveCorruptError);
  expect(await store.stat(manifestKeyOf(KEY))).toBeUndefined();
});

test('a byte changed anywhere is found: by verifying, by the reader before it gives a row, and by a writer who meets it', async () => {
  const manifest = await write();
  const path = await store.get(KEY);
  const whole = await readFile(path);
  for (const at of [10, Math.floor(whole.length / 3), whole.length - 20]) {
    const changed = Buffer.from(whole);
    changed[at] = (changed[at] as number) ^ 1;
    await writeFile(path, changed);
    const reader = createArchiveReader(store);
    await expect(verifyArchiveFile(store, manifest, layout)).rejects.toThrow(ArchiveCorruptError);
    await expect(
      reader.read({ key: KEY, sha256: manifest.sha256 }, { columns: layout.columns.slice(0, 1), filters: [], limit: 1 }),
    ).rejects.toThrow(/sha256/);
    await expect(write()).rejects.toThrow(ArchiveCorruptError);
    await reader.close();
  }
  await store.delete(KEY);
  await expect(verifyArchiveFile(store, manifest, layout)).rejects.toThrow('missing');
});

test('a file that was read before is checked again once it changed', async () => {
  const { sha256 } = await write();
  const reader = createArchiveReader(store);
  const query = { columns: layout.columns.slice(0, 1), filters: [] };
  expect(await reader.read({ key: KEY, sha256 }, query)).toHaveLength(TOTAL);
  await appendFile(await store.get(KEY), 'x');
  await expect(reader.read({ key: KEY, sha256 }, query)).rejects.toThrow(/sha256/);
  await store.delete(KEY);
  await expect(reader.read({ key: KEY, sha256 }, query)).rejects.toThrow('missing');
  await reader.close();
});

test('rows whose ordinals do not rise, or none at all, make no file', async () => {
  await expect(write([rowOf(2), rowOf(1)])).rejects.toThrow('ordinal 1 after 2');
  await expect(write([])).rejects.toThrow('needs at least one row');
  expect(await store.list('')).toEqual([]);
});
