import { createServer, type Server } from 'node:http';
import { mkdtemp, rm } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openStore, StoreFullError, StoreRefusedError, StoreUnreachableError } from '../src';
import { putBytes } from './store-suite';

let server: Server;
let folder: string;
let endpoint: string;
let answer: { status: number; code: string };
let requested = 0;

beforeAll(async () => {
  server = createServer((request, response) => {
    requested += 1;
    request.resume();
    request.on('end', () => {
      response.writeHead(answer.status, { 'content-type': 'application/xml' });
      response.end(`<?xml version="1.0"?><Error><Code>${answer.code}</Code><Message>of the test</Message></Error>`);
    });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  folder = await mkdtemp(join(tmpdir(), 's3-errors-'));
  process.env['AWS_ACCESS_KEY_ID'] = 'test';
  process.env['AWS_SECRET_ACCESS_KEY'] = 'secret';
});

afterAll(async () => {
  delete process.env['AWS_ACCESS_KEY_ID'];
  delete process.env['AWS_SECRET_ACCESS_KEY'];
  server.closeAllConnections();
  await new Promise((done) => server.close(done));
  await rm(folder, { recursive: true });
});

const open = () => openStore('s3://bucket', { endpoint, cacheFolder: folder });

test.each([
  [507, 'InsufficientStorage', StoreFullError, 1],
  [403, 'QuotaExceeded', StoreFullError, 1],
  [400, 'XMinioStorageFull', StoreFullError, 1],
  [500, 'InternalError', StoreUnreachableError, 4],
  [503, 'SlowDown', StoreUnreachableError, 4],
  [429, 'TooManyRequests', StoreUnreachableError, 4],
  [400, 'RequestTimeout', StoreUnreachableError, 4],
  [400, 'XAmzContentSHA256Mismatch', StoreUnreachableError, 4],
  [403, 'SignatureDoesNotMatch', StoreRefusedError, 1],
  [403, 'AccessDenied', StoreRefusedError, 1],
  [404, 'NoSuchBucket', StoreRefusedError, 1],
  [501, 'NotImplemented', StoreRefusedError, 1],
  [400, 'KeyTooLongError', StoreRefusedError, 1],
])('%i %s is reported as what it is, and retried only where that can help', async (status, code, type, tries) => {
  answer = { status, code };
  requested = 0;
  await expect(putBytes(open(), 'a', 'x')).rejects.toThrow(type);
  expect(requested).toBe(tries);
});

test('the reported failure contains neither the request nor its signature', async () => {
  answer = { status: 500, code: 'InternalError' };
  const failure = await open()
    .list('')
    .catch((error: unknown) => error as Error);
  const { cause, ...own } = failure as Error & { cause: Error };
  expect(JSON.stringify([{ ...own }, { ...cause }, String(cause)])).not.toMatch(/Signature|Credential|authorization/i);
  expect(Object.getOwnPropertyNames(cause).sort()).toEqual(['message', 'name', 'stack']);
});

test('an address without a server is unreachable', async () => {
  const store = openStore('s3://bucket', { endpoint: 'http://127.0.0.1:1', cacheFolder: folder, deadlineMs: 3_000 });
  await expect(store.get('a')).rejects.toThrow(StoreUnreachableError);
});
