import { createHash, randomBytes } from 'node:crypto';
import { readdir, readFile, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { hasSwift, openSwiftBucket, startSwift, type Swift, type SwiftBucket } from '@market-state/testing';
import { type ObjectStore, openStore, StoreRefusedError, StoreUnreachableError } from '../src';
import { type LoopbackProxy, startProxy } from './loopback-proxy';
import { openInBucket } from './open-in-bucket';
import { describeStore, expectBytes, putBytes, rangeOf, textOf } from './store-suite';

const MIB = 1_048_576;
/** Parts are at least 5 MiB there. */
const inParts = { uploadSizes: { wholeBytesMax: 6 * MIB, partBytes: 5 * MIB } };

(!hasSwift ? describe.skip : describe)('with Swift', () => {
  let swift: Swift;
  let bucket: SwiftBucket;
  let store: ObjectStore;
  let prefixes = 0;

  beforeAll(async () => {
    swift = await startSwift();
    bucket = await openSwiftBucket(swift);
  });

  afterAll(async () => {
    await bucket.close();
    await swift.stop();
  });

  const newPrefix = (): string => `p/${(prefixes += 1)}`;

  beforeEach(() => {
    store = openInBucket(swift, bucket, 'tests');
  });

  async function uploads(): Promise<number> {
    return ((await (await bucket.ask('?uploads')).text()).match(/<Upload>/g) ?? []).length;
  }

  describeStore('a bucket', () => openInBucket(swift, bucket, newPrefix()));

  test('a second client reads what is put, and its objects are read', async () => {
    await putBytes(store, 'a=1/part', 'ours');
    const answer = await bucket.ask('/tests/a=1/part');
    expect([answer.status, await answer.text()]).toEqual([200, 'ours']);
    const range = await bucket.ask('/tests/a=1/part', { headers: { range: 'bytes=1-2' } });
    expect([range.status, await range.text()]).toEqual([206, 'ur']);
    expect((await bucket.ask('/tests/a=1/theirs', { method: 'PUT', body: 'theirs' })).status).toBe(200);
    expect(await textOf(store, 'a=1/theirs')).toBe('theirs');
    expect((await rangeOf(store, 'a=1/theirs', 2, 5)).toString()).toBe('eir');
  });

  test('what is no key of ours is not listed, and pages of a listing are joined', async () => {
    const prefix = newPrefix();
    const keys = Array.from({ length: 1_050 }, (_, index) => `k${String(index).padStart(4, '0')}`);
    for (let from = 0; from < keys.length; from += 50)
      await Promise.all(keys.slice(from, from + 50).map((key) => bucket.ask(`/${prefix}/${key}`, { method: 'PUT', body: key })));
    await bucket.ask(`/${prefix}/.hidden`, { method: 'PUT', body: 'x' });
    expect(await openInBucket(swift, bucket, prefix).list('')).toEqual(keys);
  });

  test('a body that is not what its hash says is refused by the service', async () => {
    const wrong = { 'x-amz-content-sha256': createHash('sha256').update('other').digest('hex') };
    const answer = await bucket.ask('/tests/wrong', { method: 'PUT', body: 'text', headers: wrong });
    expect([answer.status, await answer.text()]).toEqual([400, expect.stringContaining('<Code>BadDigest</Code>')]);
    expect(await store.stat('wrong')).toBeUndefined();
  });

  test.each([
    ['secret', { AWS_SECRET_ACCESS_KEY: 'wrong' }],
    ['user', { AWS_ACCESS_KEY_ID: 'test:unknown' }],
  ])('a wrong %s is refused with that reason', async (_, wrong) => {
    const right = { ...process.env };
    Object.assign(process.env, wrong);
    const stranger = openInBucket(swift, bucket, 'tests');
    const requested = [putBytes(stranger, 'a', 'x'), stranger.get('a'), stranger.stat('a'), stranger.list(''), stranger.delete('a')];
    for (const each of await Promise.allSettled(requested)) {
      expect(each).toMatchObject({ status: 'rejected', reason: expect.any(StoreRefusedError) as unknown });
      expect(String((each as PromiseRejectedResult).reason)).toMatch(/wrong credentials or missing permission \(403/);
    }
    Object.assign(process.env, right);
  });

  test('a missing bucket is refused, and not taken for missing objects', async () => {
    const nowhere = openStore('s3://no-such-bucket/x', { endpoint: swift.endpoint, cacheFolder: bucket.folder });
    const requested = [putBytes(nowhere, 'a', 'x'), nowhere.get('a'), nowhere.stat('a'), nowhere.list(''), nowhere.openRange('a', 0, 1)];
    for (const each of await Promise.allSettled(requested)) {
      expect(each).toMatchObject({ status: 'rejected', reason: expect.any(StoreRefusedError) as unknown });
      expect(String((each as PromiseRejectedResult).reason)).toMatch(/bucket/i);
    }
  });

  describe('behind a proxy that interferes', () => {
    let proxy: LoopbackProxy;
    let meddled: ObjectStore;

    beforeEach(async () => {
      proxy = await startProxy(swift.endpoint);
      meddled = openInBucket(swift, bucket, 'meddled', { endpoint: proxy.endpoint, ...inParts });
    });

    afterEach(() => proxy.close());

    test('every body is sent with its SHA-256, and none with a checksum that only Amazon knows', async () => {
      const content = randomBytes(11 * MIB);
      await putBytes(meddled, 'large', content);
      await putBytes(meddled, 'small', 'text');
      await putBytes(meddled, 'empty', '');
      const bodies = proxy.seen.filter(({ method }) => method === 'PUT');
      expect(bodies).toHaveLength(5);
      for (const { headers, body } of bodies) {
        expect(headers['x-amz-content-sha256']).toBe(createHash('sha256').update(body).digest('hex'));
        expect(Object.keys(headers).filter((name) => /checksum|trailer/.test(name))).toEqual([]);
      }
    });

    test('a body changed on its way makes no object', async () => {
      proxy.meddle = (passing) => {
        if (passing.method === 'PUT') passing.body = Buffer.from(passing.body.map((byte) => byte ^ 1));
        return undefined;
      };
      await expect(putBytes(meddled, 'changed', 'text')).rejects.toThrow(StoreUnreachableError);
      proxy.meddle = () => undefined;
      expect(await meddled.stat('changed')).toBeUndefined();
    });

    test('an object in parts is unseen until it is complete, and then whole', async () => {
      const content = randomBytes(12 * MIB + 345);
      const seenBefore: number[] = [];
      proxy.meddle = async ({ method, url }) => {
        if (method === 'POST' && url.includes('uploadId')) seenBefore.push((await bucket.ask('/meddled/parts')).status);
        return undefined;
      };
      await putBytes(meddled, 'parts', content);
      expect(seenBefore).toEqual([404]);
      expect(proxy.seen.filter(({ url }) => url.includes('partNumber'))).toHaveLength(3);
      expectBytes(Buffer.from(await (await bucket.ask('/meddled/parts')).arrayBuffer()), content);
      expectBytes(await readFile(await meddled.get('parts')), content);
    });

    test('an upload whose last response is lost is still complete', async () => {
      const content = randomBytes(7 * MIB);
      let lost = 0;
      proxy.meddle = ({ method, url }) => {
        if (method !== 'POST' || !url.includes('uploadId') || lost > 0) return undefined;
        lost += 1;
        return 'lose answer';
      };
      await putBytes(meddled, 'answered', content);
      expect(lost).toBe(1);
      expectBytes(await readFile(await meddled.get('answered')), content);
    });

    test('an upload that fails leaves no parts', async () => {
      proxy.meddle = ({ url }) => (url.includes('partNumber=2') ? 'lose request' : undefined);
      await expect(putBytes(meddled, 'failed', randomBytes(11 * MIB))).rejects.toThrow(StoreUnreachableError);
      expect(await uploads()).toBe(0);
      expect(await store.stat('failed')).toBeUndefined();
    });

    test('a request that is lost is made again', async () => {
      const lost = new Set<string>();
      proxy.meddle = ({ method, url }) => {
        if (lost.has(method + url)) return undefined;
        lost.add(method + url);
        return 'lose request';
      };
      await putBytes(meddled, 'again', 'text');
      expect(await textOf(meddled, 'again')).toBe('text');
      expect(await meddled.list('')).toContain('again');
      await meddled.delete('again');
      expect(await meddled.stat('again')).toBeUndefined();
    });

    test('a reading that breaks off goes on where it was', async () => {
      const content = randomBytes(3 * MIB);
      await putBytes(meddled, 'broken', content);
      proxy.meddle = ({ method }) => (method === 'GET' ? { cutAfterBytes: 1_000_000 } : undefined);
      expectBytes(await rangeOf(meddled, 'broken', 5, content.length), content.subarray(5));
      expectBytes(await readFile(await meddled.get('broken')), content);
      const requested = proxy.seen.filter(({ method }) => method === 'GET').map(({ headers }) => headers.range);
      expect(new Set(requested).size).toBe(requested.length);
    });

    test('a reading never goes on in another content', async () => {
      await putBytes(meddled, 'swapped', randomBytes(MIB));
      proxy.meddle = async ({ method }) => {
        if (method !== 'GET') return undefined;
        proxy.meddle = () => undefined;
        await bucket.ask('/meddled/swapped', { method: 'PUT', body: randomBytes(MIB) });
        return undefined;
      };
      const range = await meddled.openRange('swapped', 0, MIB);
      const whole = Buffer.concat(await range.toArray());
      proxy.meddle = async ({ method }) => {
        if (method !== 'GET') return undefined;
        proxy.meddle = async () => {
          await bucket.ask('/meddled/swapped', { method: 'PUT', body: randomBytes(MIB) });
          proxy.meddle = () => undefined;
          return undefined;
        };
        return { cutAfterBytes: 1_000 };
      };
      await expect((await meddled.openRange('swapped', 0, MIB)).toArray()).rejects.toThrow('replaced');
      expect(whole).toHaveLength(MIB);
    });

    test('a copy is fetched once, and again when the object changed', async () => {
      await putBytes(meddled, 'copied', 'one');
      const gets = (): number => proxy.seen.filter(({ method }) => method === 'GET').length;
      const path = await meddled.get('copied');
      const { mtimeMs, ino } = await stat(path);
      expect(await Promise.all([meddled.get('copied'), meddled.get('copied')])).toEqual([path, path]);
      expect(gets()).toBe(1);
      expect(await stat(path)).toMatchObject({ mtimeMs, ino });
      await bucket.ask('/meddled/copied', { method: 'PUT', body: 'two' });
      expect(await textOf(meddled, 'copied')).toBe('two');
      expect(await readFile(path, 'utf8')).toBe('one');
      expect(gets()).toBe(2);
    });
  });

  test('copies least recently used go when there are too many, those in use stay', async () => {
    const folder = join(bucket.folder, 'small');
    const small = openInBucket(swift, bucket, 'copies', { cacheFolder: folder, cacheMb: 2 });
    for (const key of ['a', 'b', 'c', 'd']) await putBytes(small, key, Buffer.alloc(MIB, key));
    const [a, b] = [await small.get('a'), await small.get('b')];
    const hourAgo = new Date(Date.now() - 3_600_000);
    for (const path of [a, b]) await utimes(path, hourAgo, hourAgo);
    expect(await small.get('a')).toBe(a);
    const c = await small.get('c');
    const objects = (): Promise<string[]> => readdir(join(folder, 'objects'));
    expect((await objects()).map((name) => join(folder, 'objects', name)).sort()).toEqual([a, c].sort());
    await small.get('d');
    expect(await objects()).toHaveLength(3);
    expectBytes(await readFile(await small.get('b')), Buffer.alloc(MIB, 'b'));
  });

  test('what a killed upload left is swept once it is old, a young upload stays', async () => {
    const started = await bucket.ask('/swept/large?uploads', { method: 'POST' });
    const id = /<UploadId>(.*?)<\/UploadId>/.exec(await started.text())?.[1] ?? '';
    await bucket.ask(`/swept/large?uploadId=${id}&partNumber=1`, { method: 'PUT', body: 'part' });
    await openInBucket(swift, bucket, 'swept').sweepScratch(3_600_000);
    expect(await uploads()).toBe(1);
    await openInBucket(swift, bucket, 'elsewhere').sweepScratch(-60_000);
    expect(await uploads()).toBe(1);
    await openInBucket(swift, bucket, 'swept').sweepScratch(-60_000);
    expect(await uploads()).toBe(0);
  });

  test('a server that takes connections and does not answer is unreachable, and reached again after it', async () => {
    await putBytes(store, 'kept', 'text');
    const copy = await store.get('kept');
    swift.freeze();
    const requested = [putBytes(store, 'hung', 'x'), store.get('kept'), store.openRange('kept', 0, 1), store.stat('kept'), store.list('')];
    for (const each of await Promise.allSettled(requested)) {
      expect(each).toMatchObject({ status: 'rejected', reason: expect.any(StoreUnreachableError) as unknown });
    }
    swift.thaw();
    expect(await store.get('kept')).toBe(copy);
  });

  test('a server killed in the middle of a put leaves no object, and takes it when it is back', async () => {
    const proxy = await startProxy(swift.endpoint);
    const content = randomBytes(11 * MIB);
    for (const [key, options] of [
      ['whole', {}],
      ['parts', inParts],
    ] as const) {
      const cut = openInBucket(swift, bucket, 'killed', { endpoint: proxy.endpoint, ...options });
      const scratch = await cut.scratch();
      const file = join(scratch, 'x');
      await writeFile(file, content);
      proxy.meddle = async ({ method, body }) => {
        if (method === 'PUT' && body.length > 0) await swift.kill();
        return undefined;
      };
      await expect(cut.put(key, file)).rejects.toThrow(StoreUnreachableError);
      await swift.restart();
      proxy.meddle = () => undefined;
      expect(await cut.stat(key)).toBeUndefined();
      await cut.put(key, file);
      expectBytes(await readFile(await cut.get(key)), content);
    }
    await proxy.close();
  });
});
