import type * as s3Module from '@aws-sdk/client-s3';
import { backoffMs, beforeDeadline, delay } from '@market-state/lifecycle';
import { StoreError, StoreFullError, StoreRefusedError, StoreUnreachableError } from '../store-errors';
import type { StoreOptions } from '../store-settings';

/** The client's library, loaded with the first call: it is large. */
type S3Sdk = typeof s3Module;

/** What a call is made with. */
export interface OpenS3 {
  readonly sdk: S3Sdk;
  readonly client: s3Module.S3Client;
  /** Aborts when the time of this try is up. */
  readonly signal: AbortSignal;
}

export interface S3Client {
  /**
   * Makes a call until it succeeds: four tries at most, and no longer than the deadline. `bytes`, of a body that is sent with it,
   * add to the time of each try and to the deadline what they take at 1 MiB/s. Rejects as `fromS3Error` says.
   */
  call<T>(work: (open: OpenS3) => Promise<T>, bytes?: number): Promise<T>;
  /** The time of one try without a body, milliseconds. */
  readonly tryMs: number;
}

/** Time of a call with its tries, milliseconds. */
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
        // What the client adds of its own accord is not understood by every service that speaks the protocol.
        requestChecksumCalculation: 'WHEN_REQUIRED',
        responseChecksumValidation: 'WHEN_REQUIRED',
        // Tries are counted here, where a body can be opened again.
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

/** Told with a status of 4xx, and yet no fault of the request. */
const PASSING = new Set([
  'RequestTimeout',
  'RequestTimeTooSkewed',
  'SlowDown',
  'BadDigest',
  'XAmzContentSHA256Mismatch',
  'OperationAborted',
]);

const NO_CREDENTIALS = new Set(['CredentialsProviderError', 'TokenProviderError', 'ProviderError']);

/** An answer of the service other than success, or that none came. */
interface Failure {
  /** Undefined when no answer came. */
  readonly status: number | undefined;
  readonly code: string;
  readonly message: string;
}

function failureOf(error: unknown): Failure {
  const { name, message, $metadata } = error as Error & { readonly $metadata?: { readonly httpStatusCode?: number } };
  return { status: $metadata?.httpStatusCode, code: name, message };
}

/** Whether the service says that there is no such object (or, where no body tells them apart, no such bucket). */
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

/** What a call of the service rejects with: a StoreError, but an error that only the caller can judge as it is. */
export function fromS3Error(error: unknown): unknown {
  if (error instanceof StoreError || isNoObject(error) || isNoUpload(error) || isNoRange(error)) return error;
  const { status, code, message } = failureOf(error);
  const cause = { cause: withoutAnswer(error, code, message) };
  if (NO_CREDENTIALS.has(code)) return new StoreRefusedError(`no credentials for the store: ${message}`, cause);
  if (status === undefined) return new StoreUnreachableError(`the store does not answer: ${message}`, cause);
  const answer = `${status} ${code}: ${message}`;
  if (status === 507 || FULL.has(code)) return new StoreFullError(`the store is full: ${answer}`, cause);
  if ((status >= 500 && status !== 501) || status === 429 || status === 408 || PASSING.has(code))
    return new StoreUnreachableError(`the store cannot work now: ${answer}`, cause);
  if (status === 403) return new StoreRefusedError(`the store refuses: wrong credentials, or no right to this (${answer})`, cause);
  return new StoreRefusedError(`the store refuses: ${answer}`, cause);
}

/** The error alone: the client's own has requests with their signatures, sockets and all, which no log should have. */
function withoutAnswer(error: unknown, name: string, message: string): Error {
  const plain = new Error(message);
  plain.name = name;
  if (error instanceof Error && error.stack !== undefined) plain.stack = error.stack;
  return plain;
}
