import { type Fault, isServiceError } from '@market-state/errors';
import { type FaultItem, InvalidRequest } from '../../serving/errors/problem';
import { tooLarge } from '../../serving/errors/to-problem';

/** Where the fields of an order come from: its body, or the query of an estimate. */
export type OrderPlace = 'body' | 'query';

/** The public field behind each field of a call to the export service; one that is not listed has its own name in public. */
const PUBLIC_NAMES: ReadonlyMap<string, string> = new Map([
  ['from_ms', 'from'],
  ['to_ms', 'to'],
  ['interval_ms', 'tf'],
]);

function toItem({ field, message, type }: Fault, place: OrderPlace): FaultItem {
  if (field === 'page_token') return { loc: ['query', 'cursor'], msg: 'must be the next_cursor of an earlier answer of this list', type };
  const [name = '', ...rest] = field.replace(/^spec\./, '').split(/[.[\]]+/);
  const loc = [place, PUBLIC_NAMES.get(name) ?? name, ...rest.filter(Boolean).map((part) => (/^\d+$/.test(part) ? Number(part) : part))];
  return { loc, msg: message.replace(/\w+/g, (word) => PUBLIC_NAMES.get(word) ?? word), type };
}

/** The answer of a call to the export service; what it finds wrong with an order is reported as faults of the public request. */
export async function fromExports<T>(answer: Promise<T>, place: OrderPlace = 'body'): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    if (!isServiceError(error)) throw error;
    if (error.code === 'INVALID_ARGUMENT' && error.faults.length > 0)
      throw new InvalidRequest(error.faults.map((fault) => toItem(fault, place)));
    if (error.reason === 'result_too_large') throw new InvalidRequest([tooLarge(error, [place])]);
    throw error;
  }
}
