import type { ErrorReason } from './reasons';
import { type Fault, ServiceError } from './service-error';

/** What an error may have besides its sentence. */
export interface ErrorExtras {
  /** For the log only. */
  readonly detail?: string;
  readonly cause?: unknown;
  readonly metadata?: Readonly<Record<string, string>>;
}

const GENERAL_SENTENCE = 'An internal error occurred.';

/** INVALID_ARGUMENT with every fault of the request; `faults` must not be empty. */
export function invalidArgument(faults: readonly Fault[]): ServiceError {
  return new ServiceError({
    code: 'INVALID_ARGUMENT',
    reason: 'invalid_argument',
    sentence: faults.length === 1 ? 'A field of the request is not valid.' : 'Fields of the request are not valid.',
    faults,
  });
}

/** NOT_FOUND. `metadata` are small facts for the caller. */
export function notFound(reason: ErrorReason, sentence: string, metadata?: Readonly<Record<string, string>>): ServiceError {
  return new ServiceError({ code: 'NOT_FOUND', reason, sentence, metadata });
}

/** NOT_FOUND with reason `unknown_symbol`, naming the symbols served (metadata `symbols`, comma separated). */
export function unknownSymbol(symbol: string, served: readonly string[]): ServiceError {
  return notFound('unknown_symbol', `${symbol} is not served here. Served: ${served.join(', ')}.`, { symbols: served.join(',') });
}

/** FAILED_PRECONDITION: the request is valid, but the state does not allow it yet. */
export function failedPrecondition(reason: ErrorReason, sentence: string, extras: ErrorExtras = {}): ServiceError {
  return new ServiceError({ ...extras, code: 'FAILED_PRECONDITION', reason, sentence });
}

/** UNAVAILABLE: may be tried again. */
export function unavailable(reason: ErrorReason, sentence: string, extras: ErrorExtras = {}): ServiceError {
  return new ServiceError({ ...extras, code: 'UNAVAILABLE', reason, sentence });
}

/** RESOURCE_EXHAUSTED: a limit of the caller is used up. */
export function resourceExhausted(reason: ErrorReason, sentence: string, extras: ErrorExtras = {}): ServiceError {
  return new ServiceError({ ...extras, code: 'RESOURCE_EXHAUSTED', reason, sentence });
}

/** DEADLINE_EXCEEDED. */
export function deadlineExceeded(reason: ErrorReason, sentence: string, extras: ErrorExtras = {}): ServiceError {
  return new ServiceError({ ...extras, code: 'DEADLINE_EXCEEDED', reason, sentence });
}

/** CANCELLED: the caller gave up. */
export function cancelled(extras: ErrorExtras = {}): ServiceError {
  return new ServiceError({ ...extras, code: 'CANCELLED', reason: 'cancelled', sentence: 'The call was cancelled.' });
}

/** INTERNAL with the one general sentence; put what happened in `detail` and `cause`. */
export function internal(extras: ErrorExtras = {}): ServiceError {
  return new ServiceError({ ...extras, code: 'INTERNAL', reason: 'internal', sentence: GENERAL_SENTENCE });
}

/** The error itself when it is a ServiceError, else INTERNAL with the general sentence and the error as its cause. */
export function toServiceError(error: unknown): ServiceError {
  if (error instanceof ServiceError) return error;
  return internal({ cause: error, detail: error instanceof Error ? error.message : String(error) });
}
