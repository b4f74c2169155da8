import type * as s3Module from '@aws-sdk/client-s3';
import { backoffMs, beforeDeadline, delay } from '@market-state/lifecycle';
import { StoreError, StoreFullError, StoreRefusedError, StoreUnreachableError } from '../store-errors';
import type { StoreOptions } from '../store-settings';

type S3Sdk = typeof s3Module;

export interface OpenS3 {
  readonly sdk: S3Sdk;
  readonly client: s3Module.S3Client;
  readonly signal: AbortSignal;
}

export interface S3Client {
  /** Four attempts within the deadline. `bytes` of a request body extend both timeouts at 1 MiB/s. */
  call<T>(work: (open: OpenS3) => Promise<T>, bytes?: number): Promise<T>;
  readonly tryMs: number;
}

const DEADLINE_MS = 30_000;
const TRIES = 4;
const BYTES_A_MS = 1_024;

export function createS3Client({ endpoint, region, forcePathStyle, deadlineMs = DEADLINE_MS }: StoreOptions): S3Client {
  const tryMs = deadlineMs / 3;
  let opening: Promise<Omit<OpenS3, 'signal'>> | undefined;
  const open = (): Promise<Omit<OpenS3, 'signal'>> => {
    opening ??= import('@aws-sdk/client-s3').then((sdk) => ({
      sdk,
      client: new sdk.S3Client({
        ...(endpoint === undefined ? {} : { endpoint }),
        ...(region === undefined && endpoint === undefined ? {} : { region: region ?? 'us-east-1' }),
        forcePathStyle: forcePathStyle ?? endpoint !== undefined,
        // Not every S3-compatible service supports the SDK's default checksums.
        requestChecksumCalculation: 'WHEN_REQUIRED',
        responseChecksumValidation: 'WHEN_REQUIRED',
        // Retries happen in `call`, which can reopen a body.
        maxAttempts: 1,
        requestHandler: { connectionTimeout: tryMs },
      }),
    }));
    return opening;
  };

  async function oneTry<T>(work: (open: OpenS3) => Promise<T>, timeMs: number): Promise<T> {
    const stop = new AbortController();
    try {
      return await beforeDeadline(
        timeMs,
        open().then((opened) => work({ ...opened, signal: stop.signal })),
      );
    } catch (error) {
      stop.abort();
      throw fromS3Error(error);
    }
  }

  return {
    tryMs,
    async call(work, bytes = 0) {
      const bodyMs = bytes / BYTES_A_MS;
      const endMs = performance.now() + deadlineMs + bodyMs;
      for (let failures = 0; ; failures += 1) {
        try {
          return await oneTry(work, Math.min(tryMs + bodyMs, endMs - performance.now()));
        } catch (error) {
          const pauseMs = backoffMs(failures, { minMs: 100, maxMs: 2_000 });
          const isLast = failures + 1 >= TRIES || performance.now() + pauseMs >= endMs;
          if (isLast || !(error instanceof StoreUnreachableError)) throw error;
          await delay(pauseMs);
        }
      }
    },
  };
}

const FULL = new Set(['InsufficientStorage', 'QuotaExceeded', 'XMinioStorageFull']);

const PASSING = new Set([
  'RequestTimeout',
  'RequestTimeTooSkewed',
  'SlowDown',
  'BadDigest',
  'XAmzContentSHA256Mismatch',
  'OperationAborted',
]);

const NO_CREDENTIALS = new Set(['CredentialsProviderError', 'TokenProviderError', 'ProviderError']);

interface Failure {
  readonly status: number | undefined;
  readonly code: string;
  readonly message: string;
}

function failureOf(error: unknown): Failure {
  const { name, message, $metadata } = error as Error & { readonly $metadata?: { readonly httpStatusCode?: number } };
  return { status: $metadata?.httpStatusCode, code: name, message };
}

/** HEAD has no body, so a missing bucket looks the same. */
export function isNoObject(error: unknown): boolean {
  const { status, code } = failureOf(error);
  return status === 404 && code !== 'NoSuchBucket' && code !== 'NoSuchUpload';
}

export function isNoUpload(error: unknown): boolean {
  return failureOf(error).code === 'NoSuchUpload';
}

export function isNoRange(error: unknown): boolean {
  return failureOf(error).status === 416;
}

/** Maps to a StoreError, except for errors that only the caller can interpret. */
export function fromS3Error(error: unknown): unknown {
  if (error instanceof StoreError || isNoObject(error) || isNoUpload(error) || isNoRange(error)) return error;
  const { status, code, message } = failureOf(error);
  const cause = { cause: withoutAnswer(error, code, message) };
  if (NO_CREDENTIALS.has(code)) return new StoreRefusedError(`no store credentials: ${message}`, cause);
  if (status === undefined) return new StoreUnreachableError(`store is not responding: ${message}`, cause);
  const answer = `${status} ${code}: ${message}`;
  if (status === 507 || FULL.has(code)) return new StoreFullError(`store is full: ${answer}`, cause);
  if ((status >= 500 && status !== 501) || status === 429 || status === 408 || PASSING.has(code))
    return new StoreUnreachableError(`store is temporarily unavailable: ${answer}`, cause);
  if (status === 403) return new StoreRefusedError(`store denied access: wrong credentials or missing permission (${answer})`, cause);
  return new StoreRefusedError(`store rejected the request: ${answer}`, cause);
}

/** The SDK's error carries signed requests and sockets that must not be logged. */
function withoutAnswer(error: unknown, name: string, message: string): Error {
  const plain = new Error(message);
  plain.name = name;
  if (error instanceof Error && error.stack !== undefined) plain.stack = error.stack;
  return plain;
}
