import {
  MarketState,
  ProblemError,
  RateLimitedError,
  ServerError,
  TransportError,
  BudgetError,
  ForbiddenError,
  InvalidError,
  PaymentRequiredError,
  StreamEnded,
  UnauthorizedError,
  VerificationError,
} from '@market-state/client';
import { type Access, type AccessOrder, openAccess } from './access';
import type { CliIo } from '../io/cli-io';
import { CliError, EXIT, type ExitCode } from '../cli-error';

/** Statuses that mean the request itself is wrong. */
const ASKED_WRONGLY: ReadonlySet<number> = new Set([400, 404, 405, 406, 413, 414, 415, 422]);
/** Codes of quotes that no longer cover the call. */
const QUOTE_CODES = /^quote_/;

/** Converts an SDK error to sentences and an exit code. Returns other errors unchanged. */
export function asCliError(error: unknown, url: string): unknown {
  if (error instanceof StreamEnded) return asCliError(error.cause ?? new TransportError(error.message, '', 1), url);
  if (error instanceof BudgetError)
    return new CliError(EXIT.credits, [`${error.message} Raise --max-credits to allow it.`], { cause: error });
  if (error instanceof VerificationError) return new CliError(EXIT.different, [error.message], { cause: error });
  if (error instanceof TransportError) return new CliError(EXIT.incomplete, [`cannot reach ${url}: ${causeOf(error)}`], { cause: error });
  if (error instanceof ProblemError) return new CliError(exitCodeOf(error), linesOf(error, url), { cause: error });
  return error;
}

function exitCodeOf(error: ProblemError): ExitCode {
  if (error instanceof UnauthorizedError || error instanceof ForbiddenError) return EXIT.notAllowed;
  if (error instanceof PaymentRequiredError || error instanceof RateLimitedError || QUOTE_CODES.test(error.code)) return EXIT.credits;
  return ASKED_WRONGLY.has(error.status) ? EXIT.bad : EXIT.incomplete;
}

function linesOf(error: ProblemError, url: string): readonly string[] {
  const named = `${url} returned ${error.status}${error.code === '' ? '' : ` ${error.code}`}`;
  const request = error.requestId === '' ? [] : [`Request id: ${error.requestId}.`];
  if (error instanceof InvalidError && error.faults.length > 0)
    return [`${named}:`, ...error.faults.map(({ loc, msg }) => `${loc.join('.')} ${msg}`), ...request];
  const wait = error.retryAfterMs === null ? [] : [`Retry after ${Math.ceil(error.retryAfterMs / 1_000)} s.`];
  const login = error instanceof UnauthorizedError ? ['Set MARKET_STATE_API_KEY or run "market-state login".'] : [];
  return [`${named}: ${error.detail}`, ...wait, ...login, ...request];
}

/** Innermost cause with a message, such as the reason a connection failed. */
function causeOf(error: Error): string {
  const { cause } = error;
  return cause instanceof Error && cause.message !== '' ? causeOf(cause) : error.message;
}

/** Service without a credit limit for the whole command. */
export interface Service {
  readonly ms: MarketState;
  readonly access: Access;
}

/** @throws CliError with the exit code that matches the service's error */
export async function withService<T>(io: CliIo, order: AccessOrder, work: (service: Service) => Promise<T>): Promise<T> {
  const access = await openAccess(io, order);
  try {
    return await work({ ms: new MarketState({ baseUrl: access.url, apiKey: access.apiKey }), access });
  } catch (error) {
    throw asCliError(error, access.url);
  }
}

/** Transient errors: the service is unreachable or busy. */
export function isPassing(error: unknown): error is TransportError | ProblemError {
  return error instanceof TransportError || error instanceof RateLimitedError || error instanceof ServerError;
}

/** Statuses that repeat if the same call is retried. */
const ANSWERS: ReadonlySet<number> = new Set([400, 404, 405, 409, 410, 413, 422]);

/** Errors specific to this call; any other error affects all calls. */
export function isAnswer(error: unknown): error is ProblemError {
  return error instanceof ProblemError && ANSWERS.has(error.status);
}
