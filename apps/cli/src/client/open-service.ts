import { MarketState, ProblemError, RateLimitedError, ServerError, TransportError } from '@market-state/client';
import { type Access, type AccessOrder, openAccess } from '../access/access';
import type { CliIo } from '../io/cli-io';
import { asCliError } from './errors';

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
