import { searchWords } from './search-words';
import type { FaultItem } from '../errors/fault-item';
import { operationById } from '../openapi/operations';
import { tagFaults } from './tag-faults';
import { windowFaults } from './window-faults';

const WORDS_MAX = 32;
const WORD_LENGTH_MAX = 64;

/** Faults of a search text: no words, numbers, or too many or too long words. */
export function searchWordFaults(q: unknown): FaultItem[] {
  if (typeof q !== 'string') return [];
  const words = searchWords(q);
  const faults: string[] = [];
  if (q.trim() !== '' && words.length === 0) faults.push('must hold a word');
  if (words.some((word) => !/\p{L}/u.test(word))) faults.push('must not hold numbers: words of tags, reasons and state are searched');
  if (words.length > WORDS_MAX) faults.push(`must hold at most ${WORDS_MAX} words`);
  if (words.some((word) => word.length > WORD_LENGTH_MAX)) faults.push(`must hold words of at most ${WORD_LENGTH_MAX} characters`);
  return faults.length === 0 ? [] : [{ loc: ['query', 'q'], msg: faults.join('; '), type: 'malformed' }];
}

/**
 * Faults of a saved search that an event search would refuse and its schema does not. A span may begin later than now: a saved search is
 * run again and again.
 */
export function savedSearchFaults(body: unknown): FaultItem[] {
  const query: unknown = typeof body === 'object' && body !== null && 'query' in body ? body.query : undefined;
  if (typeof query !== 'object' || query === null) return [];
  const values = query as Readonly<Record<string, unknown>>;
  const bounds = { windowMsMax: operationById('searchEvents').windowMsMax, nowMs: Number.POSITIVE_INFINITY };
  const faults = [...windowFaults(values, bounds), ...tagFaults(values), ...searchWordFaults(values['q'])];
  return faults.map((fault) => ({ ...fault, loc: ['body', ...fault.loc] }));
}
