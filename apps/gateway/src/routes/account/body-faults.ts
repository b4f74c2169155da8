import { type Fault, isServiceError } from '@market-state/errors';
import { type FaultItem, InvalidRequest } from '../../serving/errors/problem';

/** Where a field of a call to account comes from in the public request; a field not listed is one of the body. */
const PLACES: ReadonlyMap<string, readonly string[]> = new Map([
  ['expires_ts_ms', ['body', 'expires_at']],
  ['credit_ceiling.credits', ['body', 'credit_ceiling', 'credits']],
  ['credit_ceiling.window_seconds', ['body', 'credit_ceiling', 'window_seconds']],
  ['calls_per_minute', ['body', 'rate_limit', 'calls_per_minute']],
  ['overlap_ms', ['body', 'overlap_seconds']],
  ['limit', ['query', 'limit']],
  ['cursor', ['query', 'cursor']],
]);

function toItem({ field, message, type }: Fault): FaultItem {
  return { loc: PLACES.get(field) ?? ['body', field], msg: message, type };
}

/** The answer of a call to account; what account finds wrong with its fields is told as faults of the public request. */
export async function fromAccount<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    if (isServiceError(error) && error.code === 'INVALID_ARGUMENT' && error.faults.length > 0)
      throw new InvalidRequest(error.faults.map(toItem));
    throw error;
  }
}
