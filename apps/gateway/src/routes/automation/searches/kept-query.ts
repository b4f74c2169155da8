import type { InputOf } from '../../../serving/answers/handler';
import { operationById } from '../../../serving/openapi/operations';

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
