import type { InputOf } from '../../../serving/handlers/handler';
import { type FaultItem, InvalidRequest } from '../../../serving/errors/fault-item';
import { operationById } from '../../../serving/openapi/operations';
import { tagFaults } from '../../../serving/validation/tag-faults';
import { windowFaults } from '../../../serving/validation/window-faults';
import { searchWords } from '../../../clients/packets/search-words';

type SearchQuery = InputOf<'searchEvents'>['query'];

const search = operationById('searchEvents');

/** Parameters of an event search, none of them sent. */
const DEFAULTS: Readonly<Record<string, unknown>> = Object.fromEntries(
  search.parameters.filter((parameter) => parameter.in === 'query').map(({ name, schema }) => [name, schema.default]),
);

/** What the call that runs a search adds to what is kept. */
type OwnParameters = Pick<SearchQuery, 'limit' | 'cursor' | 'as_of' | 'view'>;

/** The parameters of an event search: those that are kept, those of the call, and the defaults of the others. */
export function toSearchQuery(kept: Readonly<Record<string, unknown>>, own: OwnParameters): SearchQuery {
  return { ...DEFAULTS, ...kept, ...own } as SearchQuery;
}

/**
 * Refuses what an event search would refuse and its schema does not. A span may begin later than now: what is kept is run again and again.
 * @throws InvalidRequest
 */
export function checkQuery(query: Readonly<Record<string, unknown>>): void {
  const bounds = { windowMsMax: search.windowMsMax, nowMs: Number.POSITIVE_INFINITY };
  const faults = [...windowFaults(query, bounds), ...tagFaults(query), ...wordFaults(String(query['q'] ?? ''))];
  if (faults.length > 0) throw new InvalidRequest(faults.map((fault) => ({ ...fault, loc: ['body', ...fault.loc] })));
}

function wordFaults(text: string): readonly FaultItem[] {
  try {
    searchWords(text);
    return [];
  } catch (error) {
    if (error instanceof InvalidRequest) return error.faults;
    throw error;
  }
}
