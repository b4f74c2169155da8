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

/** Statuses of what the user asked for wrongly: no such thing, or not this way. */
const ASKED_WRONGLY: ReadonlySet<number> = new Set([400, 404, 405, 406, 413, 414, 415, 422]);
/** Codes of a quote that does not cover the call any more. */
const QUOTE_CODES = /^quote_/;

/** What an error of the SDK is to the user: its sentences and the exit code. What is no such error is returned as it is. */
export function asCliError(error: unknown, url: string): unknown {
  if (error instanceof StreamEnded) return asCliError(error.cause ?? new TransportError(error.message, '', 1), url);
  if (error instanceof BudgetError) return new CliError(EXIT.credits, [`${error.message} --max-credits allows more.`], { cause: error });
  if (error instanceof VerificationError) return new CliError(EXIT.different, [error.message], { cause: error });
  if (error instanceof TransportError)
    return new CliError(EXIT.incomplete, [`${url} cannot be reached: ${causeOf(error)}`], { cause: error });
  if (error instanceof ProblemError) return new CliError(exitCodeOf(error), linesOf(error, url), { cause: error });
  return error;
}

function exitCodeOf(error: ProblemError): ExitCode {
  if (error instanceof UnauthorizedError || error instanceof ForbiddenError) return EXIT.notAllowed;
  if (error instanceof PaymentRequiredError || error instanceof RateLimitedError || QUOTE_CODES.test(error.code)) return EXIT.credits;
  return ASKED_WRONGLY.has(error.status) ? EXIT.bad : EXIT.incomplete;
}

function linesOf(error: ProblemError, url: string): readonly string[] {
  const named = `${url} answers ${error.status}${error.code === '' ? '' : ` ${error.code}`}`;
  const request = error.requestId === '' ? [] : [`The request was ${error.requestId}.`];
  if (error instanceof InvalidError && error.faults.length > 0)
    return [`${named}:`, ...error.faults.map(({ loc, msg }) => `${loc.join('.')} ${msg}`), ...request];
  const wait = error.retryAfterMs === null ? [] : [`It asks to wait ${Math.ceil(error.retryAfterMs / 1_000)} s.`];
  const login = error instanceof UnauthorizedError ? ['Set MARKET_STATE_API_KEY, or log in: market-state login.'] : [];
  return [`${named}: ${error.detail}`, ...wait, ...login, ...request];
}

/** The last cause that says something: of a failed connection, why it failed. */
function causeOf(error: Error): string {
  const { cause } = error;
  return cause instanceof Error && cause.message !== '' ? causeOf(cause) : error.message;
}

/** A service without a bound on what all calls together may cost. */
export interface Service {
  readonly ms: MarketState;
  readonly access: Access;
}

/** Gives `work` the service that is named. @throws CliError with the exit code that the service's refusal stands for */
export async function withService<T>(io: CliIo, order: AccessOrder, work: (service: Service) => Promise<T>): Promise<T> {
  const access = await openAccess(io, order);
  try {
    return await work({ ms: new MarketState({ baseUrl: access.url, apiKey: access.apiKey }), access });
  } catch (error) {
    throw asCliError(error, access.url);
  }
}

/** Whether a later call may be answered: the service cannot be reached, or is busy. */
export function isPassing(error: unknown): error is TransportError | ProblemError {
  return error instanceof TransportError || error instanceof RateLimitedError || error instanceof ServerError;
}

/** Statuses that are an answer to what was asked: the same call will get the same. */
const ANSWERS: ReadonlySet<number> = new Set([400, 404, 405, 409, 410, 413, 422]);

/** Whether an error is an answer of the service to this one call; any other stands for all calls. */
export function isAnswer(error: unknown): error is ProblemError {
  return error instanceof ProblemError && ANSWERS.has(error.status);
}
