import { hasSwift, openSwiftBucket, startSwift, type Swift, type SwiftBucket } from '@market-state/testing';
import {
  ArchiveCorruptError,
  type ArchiveLayout,
  createArchiveReader,
  deleteArchiveFile,
  manifestKeyOf,
  type ObjectStore,
  readManifest,
  type Row,
  StoreUnreachableError,
  verifyArchiveBytes,
  verifyArchiveFile,
  writeArchiveFile,
} from '../src';
import { openInBucket } from './open-in-bucket';

const KEY = 'channel=trades/symbol=BTCUSD-PERP@okx/date=2026-01-05/hour=23/part.parquet';
const layout: ArchiveLayout = {
  columns: [
    { name: 'ordinal', type: 'int64' },
    { name: 'time_ms', type: 'int64' },
    { name: 'payload', type: 'text' },
  ],
  ordinal: 'ordinal',
  time: 'time_ms',
  payload: 'payload',
};
const rows = Array.from({ length: 5_000 }, (_, index): Row => [index + 1, 1_700_000_000_000 + index, `entry ${index}`]);
const query = { columns: layout.columns, filters: [{ column: 'ordinal', from: 4_991 }] };

(!hasSwift ? describe.skip : describe)('an archive in a bucket of Swift', () => {
  let swift: Swift;
  let bucket: SwiftBucket;
  let store: ObjectStore;
  let archives = 0;

  beforeAll(async () => {
    swift = await startSwift();
    bucket = await openSwiftBucket(swift);
  });

  afterAll(async () => {
    await bucket.close();
    await swift.stop();
  });

  beforeEach(() => {
    archives += 1;
    store = openInBucket(swift, bucket, `archive-${archives}`);
  });

  function write(into = store) {
    return writeArchiveFile(into, {
      key: KEY,
      layout,
      gapIds: [],
      async *rows() {
        yield rows;
      },
    });
  }

  test('is written, verified and read back, and found written by the next writer', async () => {
    const manifest = await write();
    expect(manifest).toMatchObject({ rows: rows.length, first_ordinal: 1, last_ordinal: 5_000 });
    expect(await readManifest(store, KEY)).toEqual(manifest);
    await verifyArchiveFile(store, manifest, layout);
    expect(await write()).toEqual(manifest);
    const reader = createArchiveReader(store);
    expect(await reader.read({ key: KEY, sha256: manifest.sha256 }, query)).toEqual(rows.slice(4_990));
    expect(await reader.count({ key: KEY, sha256: manifest.sha256 }, query.filters)).toBe(10);
    await reader.close();
    await deleteArchiveFile(store, KEY);
    expect(await store.stat(KEY)).toBeUndefined();
    expect(await store.stat(manifestKeyOf(KEY))).toBeUndefined();
  });

  test('a writer killed before the manifest leaves what the next one replaces', async () => {
    const killed: ObjectStore = {
      ...store,
      put: (key, file) => (key === KEY ? store.put(key, file) : Promise.reject(new Error('killed'))),
    };
    await expect(write(killed)).rejects.toThrow('killed');
    expect(await readManifest(store, KEY)).toBeUndefined();
    await verifyArchiveFile(store, await write(), layout);
  });

  test('a byte changed in the bucket is found though a copy was read before', async () => {
    const { sha256 } = await write();
    const reader = createArchiveReader(store);
    await reader.read({ key: KEY, sha256 }, query);
    const path = `/archive-${archives}/${KEY}`;
    const bytes = Buffer.from(await (await bucket.ask(path)).arrayBuffer());
    bytes[1_000] = (bytes[1_000] as number) ^ 1;
    await bucket.ask(path, { method: 'PUT', body: bytes });
    await expect(reader.read({ key: KEY, sha256 }, query)).rejects.toThrow(ArchiveCorruptError);
    await expect(verifyArchiveBytes(store, { key: KEY, sha256 })).rejects.toThrow(ArchiveCorruptError);
    await store.delete(KEY);
    await expect(reader.read({ key: KEY, sha256 }, query)).rejects.toThrow('missing');
    await reader.close();
  });

  test('while the server is away nothing is called damaged, and all is read when it is back', async () => {
    const manifest = await write();
    const file = { key: KEY, sha256: manifest.sha256 };
    const reader = createArchiveReader(store);
    await swift.kill();
    await expect(reader.read(file, query)).rejects.toThrow(StoreUnreachableError);
    await expect(reader.count(file, [])).rejects.toThrow(StoreUnreachableError);
    await expect(verifyArchiveBytes(store, file)).rejects.toThrow(StoreUnreachableError);
    await expect(verifyArchiveFile(store, manifest, layout)).rejects.toThrow(StoreUnreachableError);
    await expect(write()).rejects.toThrow(StoreUnreachableError);
    await swift.restart();
    expect(await reader.read(file, query)).toEqual(rows.slice(4_990));
    await reader.close();
  });
});
