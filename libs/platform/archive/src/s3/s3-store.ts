import { createHash, randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { rm, writeFile, mkdir, rename, stat, utimes } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { HeadObjectCommandOutput } from '@aws-sdk/client-s3';
import { backoffMs, beforeDeadline, delay } from '@market-state/lifecycle';
import { checkKey, checkRange, isKey, ObjectNotFoundError, type ObjectStore } from '../object-store';
import { createScratchFolders, refusePattern, isMissingFile, namesIn } from '../scratch-folders';
import { fromFileError, StoreRefusedError, StoreUnreachableError } from '../store-errors';
import type { StoreOptions, StoreLocation } from '../store-settings';
import { createS3Client, isNoObject, type S3Client, fromS3Error, isNoRange } from './s3-client';
import { abortUpload, type S3Target, uploadFile } from './s3-upload';

const TRIES = 4;

interface S3Range {
  readonly fromByte: number;
  readonly toByte: number;
}

interface OpenRange {
  readonly stream: Readable;
  readonly etag: string;
}

interface Answer {
  readonly body: Readable;
  readonly etag: string;
}

/**
 * A broken connection resumes with the rest of the same version. The time between reads is not limited.
 * @param none creates the error for a missing object
 * @throws RangeError if the object has no such range
 */
async function openS3Range(s3: S3Client, target: S3Target, range: S3Range, none: () => Error): Promise<OpenRange> {
  const first = await ask(s3, target, range).catch((error: unknown) => {
    throw isNoObject(error) ? none() : error;
  });
  const source = { current: first.body };
  const stream = Readable.from(bytesOf(s3, target, range, first, source), { objectMode: false });
  // Without a first read, the generator's cleanup never runs.
  stream.once('close', () => source.current.destroy());
  return { stream, etag: first.etag };
}

async function* bytesOf(
  s3: S3Client,
  target: S3Target,
  { fromByte, toByte }: S3Range,
  { etag }: Answer,
  source: { current: Readable },
): AsyncGenerator<Buffer> {
  let at = fromByte;
  for (let failures = 0; at < toByte; ) {
    try {
      if (source.current.destroyed) source.current = (await askAgain(s3, target, { fromByte: at, toByte }, etag)).body;
      for await (const piece of piecesOf(source.current, s3.tryMs)) {
        at += piece.length;
        failures = 0;
        yield piece;
      }
      if (at < toByte) throw new StoreUnreachableError('the store closed the connection');
    } catch (error) {
      source.current.destroy();
      failures += 1;
      if (!(error instanceof StoreUnreachableError) || failures >= TRIES) throw error;
      await delay(backoffMs(failures, { minMs: 100, maxMs: 2_000 }));
    }
  }
}

async function* piecesOf(body: Readable, waitMs: number): AsyncGenerator<Buffer> {
  const pieces = body.iterator({ destroyOnReturn: false }) as AsyncIterator<Buffer>;
  for (;;) {
    const { done, value } = await beforeDeadline(waitMs, pieces.next()).catch((error: unknown) => {
      throw fromS3Error(error);
    });
    if (done === true) return;
    yield value;
  }
}

async function ask(s3: S3Client, target: S3Target, { fromByte, toByte }: S3Range): Promise<Answer> {
  const answer = await s3
    .call(({ sdk, client, signal }) =>
      client.send(new sdk.GetObjectCommand({ ...target, Range: `bytes=${fromByte}-${toByte - 1}` }), { abortSignal: signal }),
    )
    .catch((error: unknown) => {
      throw isNoRange(error) ? new RangeError(`object has no range ${fromByte} to ${toByte}`) : error;
    });
  const body = answer.Body as Readable;
  // Errors before the first read surface on that read.
  body.on('error', () => undefined);
  if (answer.ContentLength === toByte - fromByte) return { body, etag: answer.ETag ?? '' };
  body.destroy();
  throw new RangeError(`object has no range ${fromByte} to ${toByte}`);
}

async function askAgain(s3: S3Client, target: S3Target, range: S3Range, etag: string): Promise<Answer> {
  const answer = await ask(s3, target, range);
  if (answer.etag === etag) return answer;
  answer.body.destroy();
  throw new RangeError('the object was replaced during the read');
}

const MIB = 1_048_576;
const CACHE_MB = 2_048;
const GRACE_MS = 600_000;
const REPLACED_TRIES = 4;
const SIZES = { wholeBytesMax: 64 * MIB, partBytes: 32 * MIB };

/**
 * Uploads carry a SHA-256 for the service to verify. Reads use local copies, revalidated against the bucket. Does not
 * rely on conditional writes, renames or consistent listings.
 * @throws RangeError if the cache folder's path contains one of `* ? [ ] { }`
 */
export function createS3Store({ bucket, prefix }: Extract<StoreLocation, { kind: 's3' }>, options: StoreOptions): ObjectStore {
  const folder = resolve(options.cacheFolder ?? join(tmpdir(), `market-state-cache-${process.getuid?.() ?? 0}`));
  refusePattern(folder);
  const s3 = createS3Client(options);
  const scratch = createScratchFolders(join(folder, 'scratch'));
  const limitBytes = (options.cacheMb ?? CACHE_MB) * MIB;
  const cache = createFileCache({ folder: join(folder, 'objects'), limitBytes, graceMs: options.cacheGraceMs ?? GRACE_MS });
  const under = prefix === '' ? '' : `${prefix}/`;
  const targetOf = (key: string): S3Target => {
    checkKey(key);
    return { Bucket: bucket, Key: `${under}${key}` };
  };

  let isBucketThere: Promise<void> | undefined;
  /** Body-less responses do not distinguish a missing object from a missing bucket. */
  async function refuseMissingBucket(): Promise<void> {
    isBucketThere ??= s3
      .call(({ sdk, client, signal }) => client.send(new sdk.HeadBucketCommand({ Bucket: bucket }), { abortSignal: signal }))
      .then(
        () => undefined,
        (error: unknown) => {
          isBucketThere = undefined;
          throw isNoObject(error) ? new StoreRefusedError(`bucket ${bucket} does not exist`) : error;
        },
      );
    await isBucketThere;
  }

  async function head(target: S3Target): Promise<HeadObjectCommandOutput | undefined> {
    try {
      return await s3.call(({ sdk, client, signal }) => client.send(new sdk.HeadObjectCommand(target), { abortSignal: signal }));
    } catch (error) {
      if (!isNoObject(error)) throw error;
      await refuseMissingBucket();
      return undefined;
    }
  }

  async function headOf(key: string, target: S3Target): Promise<{ readonly etag: string; readonly sizeBytes: number }> {
    const found = await head(target);
    if (found === undefined) throw new ObjectNotFoundError(key);
    return { etag: found.ETag ?? '', sizeBytes: found.ContentLength ?? 0 };
  }

  async function copyOf(key: string, target: S3Target): Promise<string> {
    const { etag, sizeBytes } = await headOf(key, target);
    const identity = JSON.stringify([options.endpoint ?? null, target.Bucket, target.Key, etag, sizeBytes]);
    return cache.get(createHash('sha256').update(identity).digest('hex'), async (path) => {
      if (sizeBytes === 0) return writeFile(path, '');
      const range = await openS3Range(s3, target, { fromByte: 0, toByte: sizeBytes }, () => new ObjectNotFoundError(key));
      if (range.etag === etag) return pipeline(range.stream, createWriteStream(path));
      range.stream.destroy();
      throw new RangeError('object was replaced after its metadata was read');
    });
  }

  return {
    async put(key, file) {
      const target = targetOf(key);
      await uploadFile(s3, target, file, { ...SIZES, ...options.uploadSizes });
      await rm(file).catch((error: unknown) => {
        throw fromFileError(error);
      });
    },
    async get(key) {
      const target = targetOf(key);
      for (let tries = 1; ; tries += 1) {
        try {
          return await copyOf(key, target);
        } catch (error) {
          if (!(error instanceof RangeError)) throw error;
          if (tries >= REPLACED_TRIES) throw new StoreUnreachableError(`${key} keeps being replaced`, { cause: error });
        }
      }
    },
    async openRange(key, fromByte, toByte) {
      const target = targetOf(key);
      checkRange(fromByte, toByte, Number.MAX_SAFE_INTEGER);
      if (fromByte < toByte) return (await openS3Range(s3, target, { fromByte, toByte }, () => new ObjectNotFoundError(key))).stream;
      checkRange(fromByte, toByte, (await headOf(key, target)).sizeBytes);
      return Readable.from([]);
    },
    async stat(key) {
      const found = await head(targetOf(key));
      return found && { sizeBytes: found.ContentLength ?? 0, modifiedMs: found.LastModified?.getTime() ?? 0 };
    },
    async list(given) {
      if (given !== '') checkKey(given.replace(/\/$/, ''));
      const below = given === '' || given.endsWith('/') ? given : `${given}/`;
      const names = await listKeys(s3, bucket, `${under}${below}`);
      return names
        .map((name) => name.slice(under.length))
        .filter(isKey)
        .sort();
    },
    async delete(key) {
      const target = targetOf(key);
      await s3
        .call(({ sdk, client, signal }) => client.send(new sdk.DeleteObjectCommand(target), { abortSignal: signal }))
        .catch((error: unknown) => {
          if (!isNoObject(error)) throw error;
        });
    },
    scratch: () => scratch.make(),
    async sweepScratch(olderThanMs) {
      await scratch.sweep(olderThanMs);
      await sweepUploads(s3, bucket, under, olderThanMs);
    },
  };
}

async function listKeys(s3: S3Client, bucket: string, prefix: string): Promise<string[]> {
  const names: string[] = [];
  for (let ContinuationToken: string | undefined; ; ) {
    const listing = { Bucket: bucket, Prefix: prefix, ...(ContinuationToken === undefined ? {} : { ContinuationToken }) };
    const page = await s3.call(({ sdk, client, signal }) => client.send(new sdk.ListObjectsV2Command(listing), { abortSignal: signal }));
    for (const { Key } of page.Contents ?? []) if (Key !== undefined) names.push(Key);
    ContinuationToken = page.NextContinuationToken;
    if (ContinuationToken === undefined) return names;
  }
}

async function sweepUploads(s3: S3Client, bucket: string, prefix: string, olderThanMs: number): Promise<void> {
  const beforeMs = Date.now() - olderThanMs;
  let marker: { KeyMarker: string; UploadIdMarker?: string } | undefined;
  do {
    const listing = { Bucket: bucket, Prefix: prefix, ...marker };
    const page = await s3.call(({ sdk, client, signal }) =>
      client.send(new sdk.ListMultipartUploadsCommand(listing), { abortSignal: signal }),
    );
    for (const { Key, UploadId, Initiated } of page.Uploads ?? []) {
      if (Key === undefined || Initiated === undefined || Initiated.getTime() >= beforeMs) continue;
      await abortUpload(s3, { Bucket: bucket, Key, UploadId });
    }
    marker =
      page.IsTruncated === true && page.NextKeyMarker !== undefined
        ? { KeyMarker: page.NextKeyMarker, ...(page.NextUploadIdMarker === undefined ? {} : { UploadIdMarker: page.NextUploadIdMarker }) }
        : undefined;
  } while (marker !== undefined);
}

interface FileCache {
  /** On a miss, `fetch` writes the file to the given path. Concurrent calls share one fetch. */
  get(name: string, fetch: (path: string) => Promise<void>): Promise<string>;
}

interface FileCacheOptions {
  readonly folder: string;
  readonly limitBytes: number;
  /** Files used within this time are never evicted: they may be open. */
  readonly graceMs: number;
}

const UNFINISHED = '.part-';
const ABANDONED_MS = 3_600_000;

function createFileCache(options: FileCacheOptions): FileCache {
  const { folder } = options;
  const fetching = new Map<string, Promise<string>>();

  async function fetched(name: string, fetch: (path: string) => Promise<void>): Promise<string> {
    const path = join(folder, name);
    await makeOwnFolder(folder);
    if (await markUsed(path)) return path;
    const unfinished = join(folder, `${UNFINISHED}${randomUUID()}`);
    try {
      await fetch(unfinished);
      // Whole milliseconds, so that updating the access time leaves mtime unchanged.
      await utimes(unfinished, new Date(), new Date());
      await rename(unfinished, path);
    } finally {
      await rm(unfinished, { force: true });
    }
    await evict(options);
    return path;
  }

  return {
    async get(name, fetch) {
      let work = fetching.get(name);
      if (work === undefined) {
        work = fetched(name, fetch).finally(() => fetching.delete(name));
        fetching.set(name, work);
      }
      try {
        return await work;
      } catch (error) {
        throw fromFileError(error);
      }
    },
  };
}

/** In the shared temporary folder, another user could have created it. */
async function makeOwnFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const { uid } = await stat(folder);
  if (process.getuid !== undefined && uid !== process.getuid()) throw new StoreRefusedError(`${folder} belongs to another user`);
}

/** Keeps mtime: readers use it to detect changed files. */
async function markUsed(path: string): Promise<boolean> {
  try {
    await utimes(path, new Date(), (await stat(path)).mtime);
    return true;
  } catch (error) {
    if (isMissingFile(error)) return false;
    throw error;
  }
}

interface CachedFile {
  readonly path: string;
  readonly sizeBytes: number;
  readonly usedMs: number;
}

async function evict({ folder, limitBytes, graceMs }: FileCacheOptions): Promise<void> {
  const files: CachedFile[] = [];
  for (const name of await namesIn(folder)) {
    const file = await look(join(folder, name));
    if (file === undefined) continue;
    if (!name.startsWith(UNFINISHED)) files.push(file);
    else if (file.usedMs < Date.now() - ABANDONED_MS) await rm(file.path, { force: true });
  }
  let totalBytes = files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  for (const { path, sizeBytes } of files.sort((a, b) => a.usedMs - b.usedMs)) {
    if (totalBytes <= limitBytes) return;
    const now = await look(path);
    if (now !== undefined && now.usedMs > Date.now() - graceMs) continue;
    await rm(path, { force: true });
    totalBytes -= sizeBytes;
  }
}

async function look(path: string): Promise<CachedFile | undefined> {
  try {
    const { size, atimeMs, mtimeMs } = await stat(path);
    return { path, sizeBytes: size, usedMs: Math.max(atimeMs, mtimeMs) };
  } catch (error) {
    if (isMissingFile(error)) return undefined;
    throw error;
  }
}
