import { CHECKPOINT_SCHEMA, PACKET_ROW_SCHEMA, SIGNING_KEY_SCHEMA } from '@market-state/labeler';
import { EVENT_ROW_SCHEMA } from '@market-state/market-data';
import { badInput } from '../cli-error';

/** The schemas that verify reads. */
const SCHEMAS = [EVENT_ROW_SCHEMA, PACKET_ROW_SCHEMA, CHECKPOINT_SCHEMA, SIGNING_KEY_SCHEMA] as const;
export type LineSchema = (typeof SCHEMAS)[number];

/** A line and the schema it names. */
export interface SchemaLine {
  readonly schema: LineSchema;
  readonly json: () => unknown;
}

/** How our own rows begin: they are most of what is read, and need not be parsed to be known. */
const ROW_START = `{"schema":"${EVENT_ROW_SCHEMA}",`;

/** @throws CliError (bad input) naming file and line when it is no JSON object of one of the schemas */
export function readSchemaLine(line: string, place: () => string): SchemaLine {
  if (line.startsWith(ROW_START)) return { schema: EVENT_ROW_SCHEMA, json: () => parse(line, place) };
  const json = parse(line, place);
  const named = typeof json === 'object' && json !== null ? (json as { readonly schema?: unknown }).schema : undefined;
  const schema = SCHEMAS.find((known) => known === named);
  if (schema !== undefined) return { schema, json: () => json };
  throw badInput(
    `${place()}: the line names ${named === undefined ? 'no schema' : `schema ${JSON.stringify(named)}`}; known are ${SCHEMAS.join(', ')}.`,
    'A venue recording becomes rows with "market-state rows".',
  );
}

function parse(line: string, place: () => string): unknown {
  try {
    return JSON.parse(line);
  } catch (error) {
    throw badInput(
      `${place()}: the line is not JSON (${(error as Error).message}).`,
      'verify reads lines that name their schema; a venue recording becomes rows with "market-state rows".',
    );
  }
}
