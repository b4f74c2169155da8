import type { OperationPrice } from '@market-state/pricing';
import { openApiDocument, type Schema } from '../../../serving/openapi/document';
import type { Operation } from '../../../serving/openapi/operations';
import type { Input } from '../../../serving/validation/request-validator';

/** How many rows a call would give. */
export interface AnswerRows {
  /** Null where it is not known. */
  readonly rows: number | null;
  readonly are: 'exact' | 'at_most' | 'unknown';
}

/** Names of the list that is an answer's rows, where it has several lists. */
const ROW_LISTS = ['rows', 'packets', 'receipts'];

const UNKNOWN: AnswerRows = { rows: null, are: 'unknown' };
const ONE: AnswerRows = { rows: 1, are: 'exact' };

/**
 * The rows of an answer, by the bound that its price is counted by and by the document: items of its list, levels of both sides of a book,
 * the newest packet of each symbol; 1 for an answer that is one thing. Unknown for a file, and for a stream.
 * @param units those of the call's upper bound
 */
export function rowsOfAnswer(
  asked: Operation,
  counted: OperationPrice['counted'],
  { query }: Pick<Input, 'query'>,
  units: number,
): AnswerRows {
  switch (counted.by) {
    case 'messages':
    case 'export_rows':
      return UNKNOWN;
    case 'symbols':
      return { rows: units, are: query['symbol'] === 'ALL' ? 'at_most' : 'exact' };
    case 'rows':
    case 'candles':
      return { rows: units, are: 'at_most' };
    case 'parameter':
      return { rows: counted.parameter === 'depth' ? 2 * units : units, are: 'at_most' };
    case 'page':
    case 'call':
    case 'nothing':
      return rowsOfList(asked, counted.by === 'page' ? counted.rows_max : Number(query['limit'] ?? Number.POSITIVE_INFINITY));
  }
}

function rowsOfList({ path, method }: Operation, rowsMax: number): AnswerRows {
  const answer = openApiDocument.paths[path]?.[method]?.responses?.['200']?.content?.['application/json']?.schema;
  if (answer === undefined) return UNKNOWN;
  const list = listOf(propertiesOf(answer));
  if (list === undefined) return ONE;
  const rows = Math.min(rowsMax, Number(list['maxItems'] ?? Number.POSITIVE_INFINITY));
  return Number.isFinite(rows) ? { rows, are: 'at_most' } : UNKNOWN;
}

/** The list of an answer that is one of rows; of a paged answer its only list. */
function listOf(properties: Readonly<Record<string, Schema>>): Schema | undefined {
  const lists = Object.entries(properties).filter(([, { type }]) => [type].flat().includes('array'));
  const named = lists.find(([name]) => ROW_LISTS.includes(name));
  return (named ?? ('next_cursor' in properties ? lists[0] : undefined))?.[1];
}

/** Properties of a schema and of all that it is put together from; of one with views, those of the first. */
function propertiesOf(schema: Schema): Readonly<Record<string, Schema>> {
  const { $ref } = schema;
  const own = $ref === undefined ? schema : openApiDocument.components.schemas[$ref.slice($ref.lastIndexOf('/') + 1)];
  const parts = [...((own?.['allOf'] ?? []) as Schema[]), ...((own?.['anyOf'] ?? []) as Schema[]).slice(0, 1)];
  return Object.assign({}, ...parts.map(propertiesOf), own?.['properties']) as Readonly<Record<string, Schema>>;
}
