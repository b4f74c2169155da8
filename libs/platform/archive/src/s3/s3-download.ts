import { Readable } from 'node:stream';
import { backoffMs, beforeDeadline, delay } from '@market-state/lifecycle';
import { StoreUnreachableError } from '../store-errors';
import { fromS3Error, isNoObject, isNoRange, type S3Client } from './s3-client';
import type { S3Target } from './s3-upload';

const TRIES = 4;

/** Bytes of an object: from one to before another. */
export interface S3Range {
  readonly fromByte: number;
  readonly toByte: number;
}

/** A range as it arrives. */
export interface OpenRange {
  readonly stream: Readable;
  /** Of the content that all its bytes are of. */
  readonly etag: string;
}

/** An answer with its bytes. */
interface Answer {
  readonly body: Readable;
  readonly etag: string;
}

/**
 * Opens a range of at least one byte. When the connection breaks, the rest is asked for again, but never out of another content. Each
 * wait for bytes is limited; the time between reads is not.
 * @param none called when there is no such object
 * @throws RangeError when the object has no such range
 */
export async function openS3Range(s3: S3Client, target: S3Target, range: S3Range, none: () => Error): Promise<OpenRange> {
  const first = await ask(s3, target, range).catch((error: unknown) => {
    throw isNoObject(error) ? none() : error;
  });
  const source = { current: first.body };
  const stream = Readable.from(bytesOf(s3, target, range, first, source), { objectMode: false });
  // A stream that nobody began to read never enters the generator.
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
      if (at < toByte) throw new StoreUnreachableError('the store broke off');
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
      throw isNoRange(error) ? new RangeError(`no range of the object: from ${fromByte} to ${toByte}`) : error;
    });
  const body = answer.Body as Readable;
  // What fails before it is read is found when it is read.
  body.on('error', () => undefined);
  if (answer.ContentLength === toByte - fromByte) return { body, etag: answer.ETag ?? '' };
  body.destroy();
  throw new RangeError(`no range of the object: from ${fromByte} to ${toByte}`);
}

async function askAgain(s3: S3Client, target: S3Target, range: S3Range, etag: string): Promise<Answer> {
  const answer = await ask(s3, target, range);
  if (answer.etag === etag) return answer;
  answer.body.destroy();
  throw new RangeError('the object was replaced while it was read');
}
