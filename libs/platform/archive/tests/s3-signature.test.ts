import { createHash, createHmac } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { openStore, StoreRefusedError } from '../src';
import { putBytes, rangeOf, textOf } from './store-suite';

const SECRET = 'secret';
/** Key of an archived hour of a secondary venue. */
const KEY = 'channel=trades/symbol=BTCUSD-PERP@okx/date=2026-01-05/hour=23/part.parquet';

let server: Server;
let folder: string;
let endpoint: string;
const objects = new Map<string, Buffer>();
let methods: string[] = [];

beforeAll(async () => {
  server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  folder = await mkdtemp(join(tmpdir(), 's3-signature-'));
  process.env['AWS_ACCESS_KEY_ID'] = 'test';
  process.env['AWS_SECRET_ACCESS_KEY'] = SECRET;
});

afterAll(async () => {
  delete process.env['AWS_ACCESS_KEY_ID'];
  delete process.env['AWS_SECRET_ACCESS_KEY'];
  server.closeAllConnections();
  await new Promise((done) => server.close(done));
  await rm(folder, { recursive: true });
});

beforeEach(() => {
  methods = [];
  objects.clear();
});

/** RFC 3986: every byte but letters, digits and `-_.~` is encoded. */
function encoded(text: string): string {
  return encodeURIComponent(text).replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
}

function hmac(key: string | Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}

/** From https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html, for S3: the path is encoded once. */
function signatureOf({ method = '', url = '', headers }: IncomingMessage): string {
  const { pathname, searchParams } = new URL(url, endpoint);
  const [, credential = '', signed = ''] = /Credential=([^,]+), ?SignedHeaders=([^,]+),/.exec(headers.authorization ?? '') ?? [];
  const [, date = '', region = '', service = ''] = credential.split('/');
  const canonical = [
    method,
    pathname
      .split('/')
      .map((part) => encoded(decodeURIComponent(part)))
      .join('/'),
    [...searchParams]
      .map(([name, value]) => `${encoded(name)}=${encoded(value)}`)
      .sort()
      .join('&'),
    ...signed.split(';').map((name) => `${name}:${String(headers[name]).trim()}`),
    '',
    signed,
    headers['x-amz-content-sha256'],
  ].join('\n');
  const scope = `${date}/${region}/${service}/aws4_request`;
  const digest = createHash('sha256').update(canonical).digest('hex');
  const text = ['AWS4-HMAC-SHA256', headers['x-amz-date'], scope, digest].join('\n');
  const key = [region, service, 'aws4_request'].reduce<Buffer>((last, part) => hmac(last, part), hmac(`AWS4${SECRET}`, date));
  return hmac(key, text).toString('hex');
}

/** Part of S3, with its check of signatures. */
async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = await buffer(request);
  const { method = '', url = '', headers } = request;
  methods.push(method);
  const { pathname, searchParams } = new URL(url, endpoint);
  const path = decodeURIComponent(pathname);
  const send = (status: number, content: string | Buffer = '', more: Record<string, string | number> = {}): void => {
    response.writeHead(status, { 'last-modified': new Date(0).toUTCString(), etag: '"e"', ...more }).end(content);
  };
  const found = objects.get(path);
  if (headers.authorization?.endsWith(`Signature=${signatureOf(request)}`) !== true)
    return send(403, '<Error><Code>SignatureDoesNotMatch</Code></Error>');
  if (searchParams.has('uploads'))
    return send(200, '<InitiateMultipartUploadResult><UploadId>u@1</UploadId></InitiateMultipartUploadResult>');
  if (method === 'POST') return send(200, '<CompleteMultipartUploadResult><ETag>"e"</ETag></CompleteMultipartUploadResult>');
  if (method === 'PUT') {
    objects.set(
      path,
      searchParams.has('partNumber') && searchParams.get('partNumber') !== '1' ? Buffer.concat([found ?? body, body]) : body,
    );
    return send(200);
  }
  if (searchParams.has('list-type')) {
    const keys = [...objects.keys()]
      .map((key) => key.slice('/bucket/'.length))
      .filter((key) => key.startsWith(searchParams.get('prefix') ?? ''));
    const contents = keys.map((key) => `<Contents><Key>${key}</Key></Contents>`).join('');
    return send(200, `<ListBucketResult><IsTruncated>false</IsTruncated>${contents}</ListBucketResult>`);
  }
  if (method === 'DELETE') {
    objects.delete(path);
    return send(204);
  }
  if (found === undefined) return send(404, method === 'HEAD' ? '' : '<Error><Code>NoSuchKey</Code></Error>');
  const [, from, to] = /^bytes=(\d+)-(\d+)$/.exec(headers.range ?? '') ?? [];
  const part = from === undefined ? found : found.subarray(Number(from), Number(to) + 1);
  return send(from === undefined ? 200 : 206, method === 'HEAD' ? '' : part, {
    'content-length': part.length,
    ...(from === undefined ? {} : { 'content-range': `bytes ${from}-${to}/${found.length}` }),
  });
}

test('requests for the key of a market at a secondary venue are signed as S3 computes it', async () => {
  const uploadSizes = { wholeBytesMax: 1_000, partBytes: 1_000 };
  const store = openStore('s3://bucket/archive', { endpoint, cacheFolder: folder, uploadSizes });
  await putBytes(store, KEY, 'rows of okx');
  expect([...objects.keys()]).toEqual([`/bucket/archive/${KEY}`]);
  expect(await textOf(store, KEY)).toBe('rows of okx');
  expect((await rangeOf(store, KEY, 8, 11)).toString()).toBe('okx');
  expect((await store.stat(KEY))?.sizeBytes).toBe(11);
  expect(await store.list('channel=trades/symbol=BTCUSD-PERP@okx/')).toEqual([KEY]);
  expect(await store.list('channel=trades/symbol=BTCUSD-PERP/')).toEqual([]);
  await store.delete(KEY);
  expect(objects.size).toBe(0);
  await putBytes(store, KEY, 'parts '.repeat(300));
  expect(objects.get(`/bucket/archive/${KEY}`)?.toString()).toBe('parts '.repeat(300));
  expect(new Set(methods)).toEqual(new Set(['PUT', 'GET', 'HEAD', 'DELETE', 'POST']));
});

test('a signature with another secret is refused', async () => {
  process.env['AWS_SECRET_ACCESS_KEY'] = 'other';
  const store = openStore('s3://bucket/archive', { endpoint, cacheFolder: folder });
  await expect(putBytes(store, KEY, 'rows')).rejects.toThrow(StoreRefusedError);
  process.env['AWS_SECRET_ACCESS_KEY'] = SECRET;
});
