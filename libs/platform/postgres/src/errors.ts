import { ServiceError, unavailable } from '@market-state/errors';
import { DatabaseError } from 'pg';

/** SQLSTATEs of values that the database cannot store: faults of the request, not of the service. */
const DATA_ERRORS: Readonly<Record<string, string>> = {
  '22001': 'A text in the request is too long.',
  '22003': 'A number in the request is out of range.',
  '22007': 'A time in the request is invalid.',
  '22008': 'A time in the request is out of range.',
  '22021': 'A text in the request contains a character that cannot be stored, such as U+0000.',
  '22P02': 'A value in the request does not have the format of its field.',
  '22P03': 'A value in the request does not have the format of its field.',
  '22P05': 'A text in the request contains a character that cannot be stored, such as U+0000.',
  '54000': 'A value in the request is too long.',
};

/** Transient SQLSTATE classes: connection lost, out of resources, operator intervention. */
const TRANSIENT_CLASSES = new Set(['08', '53', '57']);
/** Serialization failure, deadlock, lock not available, read-only after a failover. */
const TRANSIENT_STATES = new Set(['40001', '40P01', '55P03', '25006']);
const TRANSIENT_SYSTEM_CODES = new Set(['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'ENOTFOUND', 'EAI_AGAIN', 'ENOENT']);
/** Prisma: unreachable, timed out, connection closed, no free connection, write conflict. */
const TRANSIENT_PRISMA_CODES = new Set(['P1001', 'P1002', 'P1008', 'P1017', 'P2024', 'P2034']);
/** Cancelled by a timeout or request: a fault of the statement, not of the server. */
const QUERY_CANCELLED = '57014';
const CONNECTION_LOST =
  /Connection terminated|connection timeout|timeout exceeded when trying to connect|Client has encountered a connection error|Query read timeout/i;

interface CodedError {
  readonly code?: unknown;
  /** Prisma wraps the driver's SQLSTATE or system code here. */
  readonly meta?: { readonly driverAdapterError?: { readonly cause?: { readonly originalCode?: unknown } } };
}

function codeOf(error: unknown): string | undefined {
  const coded = error as CodedError | null | undefined;
  const code = coded?.meta?.driverAdapterError?.cause?.originalCode ?? coded?.code;
  return typeof code === 'string' ? code : undefined;
}

/** The same work may succeed later: the database is unavailable, restarting, busy or in conflict. */
export function isTransientDatabaseError(error: unknown): boolean {
  const code = codeOf(error);
  if (code !== undefined) {
    if (code === QUERY_CANCELLED) return false;
    if (TRANSIENT_SYSTEM_CODES.has(code) || TRANSIENT_PRISMA_CODES.has(code) || TRANSIENT_STATES.has(code)) return true;
    if (/^[0-9A-Z]{5}$/.test(code) && TRANSIENT_CLASSES.has(code.slice(0, 2))) return true;
  }
  if (error instanceof AggregateError && error.errors.some(isTransientDatabaseError)) return true;
  return error instanceof Error && CONNECTION_LOST.test(error.message);
}

/** SQLSTATE 23505, Prisma P2002. */
export function isUniqueViolation(error: unknown): boolean {
  const code = codeOf(error);
  return code === '23505' || code === 'P2002';
}

/**
 * Returns INVALID_ARGUMENT, caused by the error, if the database rejected a value in the request; else the error
 * itself.
 */
export function toRequestError(error: unknown): unknown {
  const sentence = error instanceof DatabaseError ? DATA_ERRORS[error.code ?? ''] : undefined;
  if (sentence === undefined) return error;
  return new ServiceError({ code: 'INVALID_ARGUMENT', reason: 'invalid_argument', sentence, cause: error });
}

function serverErrorOf(error: unknown): DatabaseError | undefined {
  const answer = error instanceof ServiceError ? error.cause : error;
  return answer instanceof DatabaseError ? answer : undefined;
}

/** An error sent by the server for a statement: the connection stays usable. */
export function isServerAnswer(error: unknown): boolean {
  return serverErrorOf(error) !== undefined;
}

/** SQLSTATE classes 22 and 23: retrying fails again. */
export function isDataRejection(error: unknown): boolean {
  return /^2[23]/.test(serverErrorOf(error)?.code ?? '');
}

/**
 * Transient database failures become UNAVAILABLE; other errors stay unchanged.
 * @param service named in the message
 */
export function orUnavailable(service: string): (thrown: unknown) => unknown {
  return (thrown) =>
    isTransientDatabaseError(thrown)
      ? unavailable('upstream_unavailable', `The ${service} database is not responding. Try again later.`, { cause: thrown })
      : thrown;
}
