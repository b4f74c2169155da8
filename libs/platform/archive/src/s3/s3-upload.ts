import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import type { CompletedPart } from '@aws-sdk/client-s3';
import { StoreUnreachableError } from '../store-errors';
import { isNoUpload, type OpenS3, type S3Client } from './s3-client';

export interface S3Target {
  readonly Bucket: string;
  readonly Key: string;
}

export interface UploadSizes {
  readonly wholeBytesMax: number;
  readonly partBytes: number;
}

const PARTS_MAX = 10_000;
/** Time allowance per part for completion, expressed in bytes. */
const COMPLETION_BYTES = 1_048_576;

interface Piece {
  readonly file: string;
  readonly start: number;
  readonly end: number;
  readonly sha256: string;
}

export async function uploadFile(s3: S3Client, target: S3Target, file: string, sizes: UploadSizes): Promise<void> {
  const sizeBytes = (await stat(file)).size;
  if (sizeBytes <= sizes.wholeBytesMax) {
    const piece = await pieceOf(file, 0, sizeBytes);
    await withBody(piece, s3, ({ sdk, client, signal }, body) =>
      client.send(withHash(new sdk.PutObjectCommand({ ...target, ...body }), piece), { abortSignal: signal }),
    );
    return;
  }
  const partBytes = Math.max(sizes.partBytes, Math.ceil(sizeBytes / PARTS_MAX));
  await uploadParts(s3, target, file, sizeBytes, partBytes);
}

async function uploadParts(s3: S3Client, target: S3Target, file: string, sizeBytes: number, partBytes: number): Promise<void> {
  const started = await s3.call(({ sdk, client, signal }) =>
    client.send(new sdk.CreateMultipartUploadCommand(target), { abortSignal: signal }),
  );
  const upload = { ...target, UploadId: started.UploadId };
  try {
    const parts: CompletedPart[] = [];
    for (let start = 0; start < sizeBytes; start += partBytes) {
      const piece = await pieceOf(file, start, Math.min(start + partBytes, sizeBytes));
      const PartNumber = parts.length + 1;
      const sent = await withBody(piece, s3, ({ sdk, client, signal }, body) =>
        client.send(withHash(new sdk.UploadPartCommand({ ...upload, ...body, PartNumber }), piece), { abortSignal: signal }),
      );
      parts.push({ PartNumber, ETag: sent.ETag });
    }
    await complete(s3, upload, parts);
  } catch (error) {
    await abortUpload(s3, upload).catch(() => undefined);
    throw error;
  }
}

interface Upload extends S3Target {
  readonly UploadId: string | undefined;
}

async function complete(s3: S3Client, upload: Upload, parts: CompletedPart[]): Promise<void> {
  try {
    await s3.call(
      ({ sdk, client, signal }) =>
        client.send(new sdk.CompleteMultipartUploadCommand({ ...upload, MultipartUpload: { Parts: parts } }), { abortSignal: signal }),
      parts.length * COMPLETION_BYTES,
    );
  } catch (error) {
    if (!isNoUpload(error)) throw error;
    // An earlier attempt may have succeeded although its response was lost.
    const { Bucket, Key } = upload;
    const there = await s3.call(({ sdk, client, signal }) =>
      client.send(new sdk.HeadObjectCommand({ Bucket, Key }), { abortSignal: signal }),
    );
    if (there.ETag !== etagOf(parts)) throw new StoreUnreachableError('the file ended before the upload was complete', { cause: error });
  }
}

export async function abortUpload(s3: S3Client, upload: Upload): Promise<void> {
  try {
    await s3.call(({ sdk, client, signal }) => client.send(new sdk.AbortMultipartUploadCommand(upload), { abortSignal: signal }));
  } catch (error) {
    if (!isNoUpload(error)) throw error;
  }
}

function etagOf(parts: readonly CompletedPart[]): string {
  const hash = createHash('md5');
  for (const { ETag = '' } of parts) hash.update(Buffer.from(ETag.replaceAll('"', ''), 'hex'));
  return `"${hash.digest('hex')}-${parts.length}"`;
}

function withBody<T>(piece: Piece, s3: S3Client, send: (open: OpenS3, body: Body) => Promise<T>): Promise<T> {
  const { file, start, end } = piece;
  return s3.call(async (open) => {
    if (start === end) return send(open, { Body: Buffer.alloc(0), ContentLength: 0 });
    const stream = createReadStream(file, { start, end: end - 1 });
    try {
      return await send(open, { Body: stream, ContentLength: end - start });
    } finally {
      stream.destroy();
    }
  }, end - start);
}

interface Body {
  readonly Body: Readable | Buffer;
  readonly ContentLength: number;
}

interface WithStack {
  readonly middlewareStack: { add(middleware: unknown, options: { readonly step: 'build'; readonly name: string }): void };
}

/** The SDK omits the body's hash for streams; with it, the service verifies what it receives. */
function withHash<Command extends WithStack>(command: Command, { sha256 }: Piece): Command {
  type Next = (args: { readonly request: { readonly headers: Record<string, string> } }) => unknown;
  const sign =
    (next: Next): Next =>
    (args) => {
      args.request.headers['x-amz-content-sha256'] = sha256;
      return next(args);
    };
  command.middlewareStack.add(sign, { step: 'build', name: 'payloadHash' });
  return command;
}

async function pieceOf(file: string, start: number, end: number): Promise<Piece> {
  const hash = createHash('sha256');
  if (start < end) for await (const bytes of createReadStream(file, { start, end: end - 1 })) hash.update(bytes as Buffer);
  return { file, start, end, sha256: hash.digest('hex') };
}
