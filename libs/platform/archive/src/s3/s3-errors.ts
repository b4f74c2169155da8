import { StoreError, StoreFullError, StoreRefusedError, StoreUnreachableError } from '../store-errors';

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
