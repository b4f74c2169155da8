import { createHash } from 'node:crypto';
import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { account as accountContract } from '@market-state/contracts';
import { type BootedGateway, bootGateway } from './stand-in/boot';
import { MESSAGE_BYTES, READY_JOB } from './stand-in/export';
import { DATA_FILE, DATA_FILE_BYTES, LARGE_FILE, LARGE_FILE_BYTES } from './stand-in/export-files';
import type { RawRequest, RawResponse } from './stand-in/http-client';

const { Scope } = accountContract;

const RESULT = `/api/public/data/export/jobs/${READY_JOB}/result`;
const SIZE = DATA_FILE_BYTES.length;
const SHA256 = createHash('sha256').update(DATA_FILE_BYTES).digest();
const TAG = `"${SHA256.toString('hex')}"`;

interface Result {
  readonly files: readonly { readonly name: string; readonly download_route: string }[];
  readonly links_expire_at_utc: string;
}

describe('a download', () => {
  let booted: BootedGateway;
  let nowMs = Date.now();
  let route = '';
  beforeAll(async () => {
    booted = await bootGateway({ now: () => nowMs });
  });
  beforeEach(async () => {
    route = await routeOf(DATA_FILE);
  });
  afterEach(() => booted.exporter.setReading('whole'));
  afterAll(() => booted.close());

  async function routeOf(name: string): Promise<string> {
    const { files } = (await booted.keyed(RESULT)).json<Result>();
    return files.find((file) => file.name === name)?.download_route ?? '';
  }
  const load = (headers: Readonly<Record<string, string>> = {}, rest: RawRequest = {}): Promise<RawResponse> =>
    booted.keyed(route, { ...rest, headers });

  /** Starts a download without reading it. */
  function begin(key = booted.key): Promise<{ readonly sent: ClientRequest; readonly response: IncomingMessage }> {
    return new Promise((resolve, reject) => {
      const sent = request(booted.gateway.url + route, { headers: { 'x-market-state-api-key': key }, agent: false });
      sent.on('response', (response) => resolve({ sent, response }));
      sent.on('error', reject);
      sent.end();
    });
  }

  /** Bytes received, and whether the answer was cut. */
  async function readOn({ response }: { readonly response: IncomingMessage }): Promise<{ bytes: number; cut: boolean }> {
    let bytes = 0;
    try {
      for await (const piece of response) bytes += (piece as Buffer).length;
      return { bytes, cut: !response.complete };
    } catch {
      return { bytes, cut: true };
    }
  }

  it('gives the whole file with its digest, its name and its size', async () => {
    const response = await load();
    expect(response.status).toBe(200);
    expect(response.bytes.equals(DATA_FILE_BYTES)).toBe(true);
    expect(response.headers).toMatchObject({
      'content-type': 'application/vnd.apache.parquet',
      'content-length': String(SIZE),
      'content-disposition': `attachment; filename="${DATA_FILE}"`,
      etag: TAG,
      'repr-digest': `sha-256=:${SHA256.toString('base64')}:`,
      'accept-ranges': 'bytes',
      'cache-control': 'no-store, no-transform',
      'x-content-type-options': 'nosniff',
      'x-credits-charged': '0',
    });
    expect(response.headers['x-request-id']).toBeDefined();
    expect(response.headers['content-range']).toBeUndefined();
  });

  it.each<[string, number, number]>([
    ['bytes=0-0', 0, 1],
    ['bytes=1000-300000', 1_000, 300_001],
    ['bytes=262144-', 262_144, SIZE],
    ['bytes=-10', SIZE - 10, SIZE],
    [`bytes=${SIZE - 1}-${SIZE + 5}`, SIZE - 1, SIZE],
  ])('of the range %s gives these bytes alone', async (range, from, to) => {
    const response = await load({ range });
    expect(response.status).toBe(206);
    expect(response.headers['content-range']).toBe(`bytes ${from}-${to - 1}/${SIZE}`);
    expect(response.headers['content-length']).toBe(String(to - from));
    expect(response.headers['repr-digest']).toBe(`sha-256=:${SHA256.toString('base64')}:`);
    expect(response.bytes.equals(DATA_FILE_BYTES.subarray(from, to))).toBe(true);
  });

  it('of several ranges, or of what is no range of bytes, gives the whole file', async () => {
    for (const range of ['bytes=0-1,5-6', 'rows=1-2', 'bytes=9-1']) {
      const response = await load({ range });
      expect([response.status, response.bytes.length]).toEqual([200, SIZE]);
    }
  });

  it('of a range beyond the file is 416 with its size', async () => {
    const response = await load({ range: `bytes=${SIZE}-` });
    expect([response.status, response.headers['content-range']]).toEqual([416, `bytes */${SIZE}`]);
    expect(response.json()).toMatchObject({ code: 'range_not_satisfiable' });
  });

  it('is resumed by If-Range where the file is the same, else sent whole', async () => {
    expect((await load({ range: 'bytes=5-', 'if-range': TAG })).status).toBe(206);
    for (const other of ['"other"', `W/${TAG}`, new Date(0).toUTCString()]) {
      expect((await load({ range: 'bytes=5-', 'if-range': other })).status).toBe(200);
    }
  });

  it('is 304 for a cached copy, range or not, and reads nothing', async () => {
    const before = booted.exporter.messageTotal();
    for (const named of [TAG, `"x", ${TAG}`, '*']) {
      const response = await load({ 'if-none-match': named, range: 'bytes=0-1' });
      expect([response.status, response.bytes.length, response.headers['etag']]).toEqual([304, 0, TAG]);
    }
    expect(booted.exporter.messageTotal()).toBe(before);
    expect((await load({ 'if-none-match': '"other"' })).status).toBe(200);
  });

  it('by HEAD gives the headers of the whole file alone, and reads nothing', async () => {
    const before = booted.exporter.messageTotal();
    const response = await load({ range: 'bytes=0-1' }, { method: 'HEAD' });
    expect([response.status, response.bytes.length]).toEqual([200, 0]);
    expect(response.headers).toMatchObject({ 'content-length': String(SIZE), etag: TAG, 'accept-ranges': 'bytes' });
    expect(booted.exporter.messageTotal()).toBe(before);
  });

  it('of an empty file is empty', async () => {
    const response = await booted.keyed(await routeOf('gaps.ndjson'));
    expect([response.status, response.headers['content-length'], response.bytes.length]).toEqual([200, '0', 0]);
  });

  it('needs a route that is signed for this very file and has not expired, and the result signs a new one', async () => {
    const [path, query] = route.split('?');
    const expires = Number(new URLSearchParams(query).get('expires'));
    const wrong = [
      path,
      `${path}?expires=${expires}`,
      `${path}?expires=${expires + 1}&signature=${new URLSearchParams(query).get('signature')}`,
      `${path}?expires=${expires}&signature=${'A'.repeat(43)}`,
      `${path?.replace(DATA_FILE, 'manifest.json')}?${query}`,
    ];
    for (const other of wrong) {
      const response = await booted.keyed(other ?? '');
      expect([response.status, response.json()['code']]).toEqual([403, 'link_expired']);
    }
    const bootMs = nowMs;
    nowMs = expires - 1;
    expect((await load()).status).toBe(200);
    nowMs = expires;
    const expired = await load();
    expect(expired.json()).toMatchObject({
      status: 403,
      code: 'link_expired',
      detail: 'This download route has expired. Request the result of the job again to get a new one.',
    });
    route = await routeOf(DATA_FILE);
    expect((await load()).status).toBe(200);
    nowMs = bootMs;
  });

  it('says when its route expires: after 15 minutes', async () => {
    const { links_expire_at_utc: expires } = (await booted.keyed(RESULT)).json<Result>();
    expect(Date.parse(expires) - nowMs).toBe(900_000);
  });

  it('needs the tenant’s key in addition to the route', async () => {
    expect((await booted.get(route)).status).toBe(401);
    const other = booted.account.issue({ tenantId: 'ten_other', scopes: [Scope.EXPORT] });
    expect((await booted.get(route, { headers: { 'x-market-state-api-key': other } })).status).toBe(404);
    const missing = await booted.keyed(route.replace(DATA_FILE, 'none.csv'));
    expect([missing.status, missing.json()['code']]).toEqual([404, 'not_found']);
  });

  it('beyond four of one tenant is 429', async () => {
    booted.exporter.setReading('silent');
    const open = await Promise.all(Array.from({ length: 4 }, () => begin()));
    const fifth = await load();
    expect([fifth.status, fifth.json()['code'], fifth.headers['retry-after']]).toEqual([429, 'too_many_downloads', '5']);
    for (const { sent } of open) sent.destroy();
    await booted.until(() => booted.exporter.readingTotal() === 0);
  });

  it.each(['cut', 'short'] as const)('whose source is %s ends the connection: no answer looks whole that is not', async (reading) => {
    booted.exporter.setReading(reading);
    const { bytes, cut } = await readOn(await begin());
    expect(cut).toBe(true);
    expect(bytes).toBeLessThan(SIZE);
  });

  it('whose caller has gone ends the reading of the file', async () => {
    booted.exporter.setReading('silent');
    const { sent } = await begin();
    await booted.until(() => booted.exporter.readingTotal() === 1);
    sent.destroy();
    await booted.until(() => booted.exporter.readingTotal() === 0);
  });

  it('to a reader that takes nothing reads no more of the file than connections hold, while another gets it whole', async () => {
    route = await routeOf(LARGE_FILE);
    const before = booted.exporter.messageTotal();
    const { sent } = await begin();
    expect((await load()).bytes).toHaveLength(LARGE_FILE_BYTES);
    expect(booted.exporter.messageTotal() - before).toBeLessThan((1.5 * LARGE_FILE_BYTES) / MESSAGE_BYTES);
    sent.destroy();
    await booted.until(() => booted.exporter.readingTotal() === 0);
  });

  it('ends when its key is revoked', async () => {
    const key = booted.account.issue({ scopes: [Scope.EXPORT] });
    booted.exporter.setReading('silent');
    const open = await begin(key);
    booted.account.revoke(key);
    expect((await readOn(open)).cut).toBe(true);
    await booted.until(() => booted.exporter.readingTotal() === 0);
  });

  it('of which nothing has come yet ends with its key too', async () => {
    const key = booted.account.issue({ scopes: [Scope.EXPORT] });
    booted.exporter.setReading('mute');
    const started = begin(key).then(
      () => 'answered',
      () => 'ended',
    );
    await booted.until(() => booted.exporter.readingTotal() === 1);
    booted.account.revoke(key);
    expect(await started).toBe('ended');
  });

  it('under way is no call in flight', async () => {
    booted.exporter.setReading('silent');
    const open = await Promise.all(Array.from({ length: 3 }, () => begin()));
    const metrics = await booted.gateway.metrics.registry.metrics();
    expect(metrics).toMatch(/^calls_in_flight_weight\{?.*\}? 0$/m);
    expect(metrics).toMatch(/^files_sending\{?.*\}? 3$/m);
    for (const { sent } of open) sent.destroy();
    await booted.until(() => booted.exporter.readingTotal() === 0);
  });
});
