import type { ErrorReason } from './reasons';

/** Numbers of the gRPC specification. */
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

export type GrpcCodeName = keyof typeof GRPC_CODES;

const NAMES = new Map<number, GrpcCodeName>(
  (Object.keys(GRPC_CODES) as GrpcCodeName[]).map((codeName) => [GRPC_CODES[codeName], codeName]),
);

/** `UNKNOWN` for a number outside the specification. */
export function grpcCodeName(code: number): GrpcCodeName {
  return NAMES.get(code) ?? 'UNKNOWN';
}

export interface Fault {
  /** For example `depth`. */
  readonly field: string;
  /** One sentence safe to show. */
  readonly message: string;
  /** For example `out_of_range`. */
  readonly type: string;
}

interface ServiceErrorParts {
  readonly code: GrpcCodeName;
  readonly reason: ErrorReason;
  /** No host, SQL or secret. */
  readonly sentence: string;
  /** For the log; never crosses the wire. */
  readonly detail?: string;
  readonly cause?: unknown;
  /** Cross the wire. */
  readonly metadata?: Readonly<Record<string, string>>;
  readonly faults?: readonly Fault[];
}

/**
 * Error between services. `message` is safe to show; `detail` and `cause` go only to the log. Translated once per hop.
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

export function isServiceError(error: unknown, reason?: ErrorReason): error is ServiceError {
  return error instanceof ServiceError && (reason === undefined || error.reason === reason);
}

interface ErrorExtras {
  readonly detail?: string;
  readonly cause?: unknown;
  readonly metadata?: Readonly<Record<string, string>>;
}

const GENERAL_SENTENCE = 'An internal error occurred.';

/** INVALID_ARGUMENT; `faults` must not be empty. */
export function invalidArgument(faults: readonly Fault[]): ServiceError {
  return new ServiceError({
    code: 'INVALID_ARGUMENT',
    reason: 'invalid_argument',
    sentence: faults.length === 1 ? 'A field of the request is not valid.' : 'Fields of the request are not valid.',
    faults,
  });
}

export function notFound(reason: ErrorReason, sentence: string, metadata?: Readonly<Record<string, string>>): ServiceError {
  return new ServiceError({ code: 'NOT_FOUND', reason, sentence, metadata });
}

export function unknownSymbol(symbol: string, served: readonly string[]): ServiceError {
  return notFound('unknown_symbol', `${symbol} is not served here. Served: ${served.join(', ')}.`, { symbols: served.join(',') });
}

export function failedPrecondition(reason: ErrorReason, sentence: string, extras: ErrorExtras = {}): ServiceError {
  return new ServiceError({ ...extras, code: 'FAILED_PRECONDITION', reason, sentence });
}

export function unavailable(reason: ErrorReason, sentence: string, extras: ErrorExtras = {}): ServiceError {
  return new ServiceError({ ...extras, code: 'UNAVAILABLE', reason, sentence });
}

export function unauthenticated(reason: ErrorReason, sentence: string, extras: ErrorExtras = {}): ServiceError {
  return new ServiceError({ ...extras, code: 'UNAUTHENTICATED', reason, sentence });
}

export function resourceExhausted(reason: ErrorReason, sentence: string, extras: ErrorExtras = {}): ServiceError {
  return new ServiceError({ ...extras, code: 'RESOURCE_EXHAUSTED', reason, sentence });
}

export function deadlineExceeded(reason: ErrorReason, sentence: string, extras: ErrorExtras = {}): ServiceError {
  return new ServiceError({ ...extras, code: 'DEADLINE_EXCEEDED', reason, sentence });
}

export function cancelled(extras: ErrorExtras = {}): ServiceError {
  return new ServiceError({ ...extras, code: 'CANCELLED', reason: 'cancelled', sentence: 'The call was cancelled.' });
}

/** Generic sentence; put specifics into `detail` and `cause`. */
export function internal(extras: ErrorExtras = {}): ServiceError {
  return new ServiceError({ ...extras, code: 'INTERNAL', reason: 'internal', sentence: GENERAL_SENTENCE });
}

/** Wraps anything but a ServiceError as INTERNAL. */
export function toServiceError(error: unknown): ServiceError {
  if (error instanceof ServiceError) return error;
  return internal({ cause: error, detail: error instanceof Error ? error.message : String(error) });
}
