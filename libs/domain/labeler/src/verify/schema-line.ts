import { EVENT_ROW_SCHEMA } from '@market-state/market-data';
import { CHECKPOINT_SCHEMA } from '../packet-row/checkpoint-line';
import { PACKET_ROW_SCHEMA } from '../packet-row/packet-row';
import { SIGNING_KEY_SCHEMA } from '../packet-row/signing-key';
import { SourceError } from './source-error';

/** The schemas that verify reads. */
const SCHEMAS = [EVENT_ROW_SCHEMA, PACKET_ROW_SCHEMA, CHECKPOINT_SCHEMA, SIGNING_KEY_SCHEMA] as const;
type LineSchema = (typeof SCHEMAS)[number];

/** A line and the schema it names. */
export interface SchemaLine {
  readonly schema: LineSchema;
  readonly json: () => unknown;
}

/** How our own rows begin: they are most of what is read, and need not be parsed to be known. */
const ROW_START = `{"schema":"${EVENT_ROW_SCHEMA}",`;

/** @throws SourceError naming file and line when it is no JSON object of one of the schemas */
export function readSchemaLine(line: string, place: () => string): SchemaLine {
  if (line.startsWith(ROW_START)) return { schema: EVENT_ROW_SCHEMA, json: () => parse(line, place) };
  const json = parse(line, place);
  const named = typeof json === 'object' && json !== null ? (json as { readonly schema?: unknown }).schema : undefined;
  const schema = SCHEMAS.find((known) => known === named);
  if (schema !== undefined) return { schema, json: () => json };
  const names = named === undefined ? 'no schema' : `schema ${JSON.stringify(named)}`;
  throw new SourceError('foreign', [`${place()}: the line names ${names}; known are ${SCHEMAS.join(', ')}.`]);
}

function parse(line: string, place: () => string): unknown {
  try {
    return JSON.parse(line);
  } catch (error) {
    throw new SourceError('foreign', [`${place()}: the line is not JSON (${(error as Error).message}).`]);
  }
}
