import type { GrpcCodeName } from './grpc-codes';
import type { ErrorReason } from './reasons';

/** One thing wrong with a request. */
export interface Fault {
  /** The request field, as the interface spells it, for example `depth`. */
  readonly field: string;
  /** One sentence safe to show. */
  readonly message: string;
  /** Stable machine word, for example `out_of_range`. */
  readonly type: string;
}

export interface ServiceErrorParts {
  readonly code: GrpcCodeName;
  readonly reason: ErrorReason;
  /** One sentence that may be shown to anyone: no host, no SQL, no secret. */
  readonly sentence: string;
  /** For the log only; never crosses the wire. */
  readonly detail?: string;
  readonly cause?: unknown;
  /** Small facts for the caller, for example the symbols served. Cross the wire. */
  readonly metadata?: Readonly<Record<string, string>>;
  readonly faults?: readonly Fault[];
}

/**
 * The one error type between services: a gRPC code, a stable reason, a sentence safe to show (`message`), and, separately, the detail
 * and cause, which only the log sees. Thrown anywhere, translated once per hop.
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

/** Whether a value is a ServiceError, optionally one with this reason. */
export function isServiceError(error: unknown, reason?: ErrorReason): error is ServiceError {
  return error instanceof ServiceError && (reason === undefined || error.reason === reason);
}
