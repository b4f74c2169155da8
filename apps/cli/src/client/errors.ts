import {
  BudgetError,
  ForbiddenError,
  InvalidError,
  PaymentRequiredError,
  ProblemError,
  RateLimitedError,
  StreamEnded,
  TransportError,
  UnauthorizedError,
  VerificationError,
} from '@market-state/client';
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
