import type { ErrorReason } from './reasons';

/** gRPC status codes by name, with the numbers of the gRPC specification. */
export const GRPC_CODES = {
  CANCELLED: 1,
  UNKNOWN: 2,
  INVALID_ARGUMENT: 3,
  DEADLINE_EXCEEDED: 4,
  NOT_FOUND: 5,
  ALREADY_EXISTS: 6,
  PERMISSION_DENIED: 7,
  RESOURCE_EXHAUSTED: 8,
  FAILED_PRECONDITION: 9,
  ABORTED: 10,
  OUT_OF_RANGE: 11,
  UNIMPLEMENTED: 12,
  INTERNAL: 13,
  UNAVAILABLE: 14,
  DATA_LOSS: 15,
  UNAUTHENTICATED: 16,
} as const;

/** Name of a gRPC status code other than OK. */
export type GrpcCodeName = keyof typeof GRPC_CODES;

const NAMES = new Map<number, GrpcCodeName>(
  (Object.keys(GRPC_CODES) as GrpcCodeName[]).map((codeName) => [GRPC_CODES[codeName], codeName]),
);

/** Name of a status code; `UNKNOWN` for a number outside the specification. */
export function grpcCodeName(code: number): GrpcCodeName {
  return NAMES.get(code) ?? 'UNKNOWN';
}

/** One invalid part of a request. */
export interface Fault {
  /** Request field as in the interface, for example `depth`. */
  readonly field: string;
  /** One sentence safe to show. */
  readonly message: string;
  /** Stable machine word, for example `out_of_range`. */
  readonly type: string;
}

interface ServiceErrorParts {
  readonly code: GrpcCodeName;
  readonly reason: ErrorReason;
  /** One sentence safe to show to anyone: no host, SQL or secret. */
  readonly sentence: string;
  /** For the log only; never crosses the wire. */
  readonly detail?: string;
  readonly cause?: unknown;
  /** Short facts for the caller, for example the symbols served. Cross the wire. */
  readonly metadata?: Readonly<Record<string, string>>;
  readonly faults?: readonly Fault[];
}

/**
 * The one error type between services: gRPC code, stable reason and a sentence safe to show (`message`). `detail` and
 * `cause` go only to the log. Translated once per hop.
 */
export class ServiceError extends Error {
  override readonly name = 'ServiceError';
  readonly code: GrpcCodeName;
  readonly reason: ErrorReason;
  readonly detail: string | undefined;
  readonly metadata: Readonly<Record<string, string>>;
  readonly faults: readonly Fault[];

  constructor(parts: ServiceErrorParts) {
    super(parts.sentence, parts.cause === undefined ? undefined : { cause: parts.cause });
    this.code = parts.code;
    this.reason = parts.reason;
    this.detail = parts.detail;
    this.metadata = parts.metadata ?? {};
    this.faults = parts.faults ?? [];
  }
}

/** True for a ServiceError, optionally with this reason. */
export function isServiceError(error: unknown, reason?: ErrorReason): error is ServiceError {
  return error instanceof ServiceError && (reason === undefined || error.reason === reason);
}

/** Optional parts of an error. */
interface ErrorExtras {
  /** For the log only. */
  readonly detail?: string;
  readonly cause?: unknown;
  readonly metadata?: Readonly<Record<string, string>>;
}

const GENERAL_SENTENCE = 'An internal error occurred.';

/** INVALID_ARGUMENT with all faults of the request; `faults` must not be empty. */
export function invalidArgument(faults: readonly Fault[]): ServiceError {
  return new ServiceError({
    code: 'INVALID_ARGUMENT',
    reason: 'invalid_argument',
    sentence: faults.length === 1 ? 'A field of the request is not valid.' : 'Fields of the request are not valid.',
    faults,
  });
}

/** NOT_FOUND. `metadata` has short facts for the caller. */
export function notFound(reason: ErrorReason, sentence: string, metadata?: Readonly<Record<string, string>>): ServiceError {
  return new ServiceError({ code: 'NOT_FOUND', reason, sentence, metadata });
}

/** NOT_FOUND with reason `unknown_symbol`; metadata `symbols` lists those served, comma-separated. */
export function unknownSymbol(symbol: string, served: readonly string[]): ServiceError {
  return notFound('unknown_symbol', `${symbol} is not served here. Served: ${served.join(', ')}.`, { symbols: served.join(',') });
}

/** FAILED_PRECONDITION: a valid request that the current state does not allow. */
export function failedPrecondition(reason: ErrorReason, sentence: string, extras: ErrorExtras = {}): ServiceError {
  return new ServiceError({ ...extras, code: 'FAILED_PRECONDITION', reason, sentence });
}

/** UNAVAILABLE: may be retried. */
export function unavailable(reason: ErrorReason, sentence: string, extras: ErrorExtras = {}): ServiceError {
  return new ServiceError({ ...extras, code: 'UNAVAILABLE', reason, sentence });
}

/** RESOURCE_EXHAUSTED: the caller has reached a limit. */
export function resourceExhausted(reason: ErrorReason, sentence: string, extras: ErrorExtras = {}): ServiceError {
  return new ServiceError({ ...extras, code: 'RESOURCE_EXHAUSTED', reason, sentence });
}

/** DEADLINE_EXCEEDED. */
export function deadlineExceeded(reason: ErrorReason, sentence: string, extras: ErrorExtras = {}): ServiceError {
  return new ServiceError({ ...extras, code: 'DEADLINE_EXCEEDED', reason, sentence });
}

/** CANCELLED by the caller. */
export function cancelled(extras: ErrorExtras = {}): ServiceError {
  return new ServiceError({ ...extras, code: 'CANCELLED', reason: 'cancelled', sentence: 'The call was cancelled.' });
}

/** INTERNAL with a generic sentence; put specifics into `detail` and `cause`. */
export function internal(extras: ErrorExtras = {}): ServiceError {
  return new ServiceError({ ...extras, code: 'INTERNAL', reason: 'internal', sentence: GENERAL_SENTENCE });
}

/** Returns a ServiceError as is; wraps anything else as INTERNAL with the error as its cause. */
export function toServiceError(error: unknown): ServiceError {
  if (error instanceof ServiceError) return error;
  return internal({ cause: error, detail: error instanceof Error ? error.message : String(error) });
}
