import { fromJsonSchema, type StandardSchemaWithJSON } from '@modelcontextprotocol/server';
import { z } from 'zod';
import type { JsonSchema, Tool } from '../tools/tool';

/** What every answer has, as `instructions` explain it once for all tools. */
const ENVELOPE: Readonly<Record<string, JsonSchema>> = {
  as_of_utc: { type: 'string' },
  response_state: { type: 'string' },
  fail_closed: { type: 'boolean' },
  gap_flags: { type: 'array' },
  claim_boundary: { type: 'string' },
  cost: { type: 'object', required: ['charged', 'ceiling_left', 'receipt_id'] },
  request_id: { type: 'string' },
};

/** What a client is not told of an argument: the list of tools is read by a model, and a fault says what is wrong. */
const UNTOLD = ['$schema', 'pattern', 'minLength', 'maxLength', 'propertyNames'];

const kept = new WeakMap<object, { readonly input: StandardSchemaWithJSON; readonly output: StandardSchemaWithJSON }>();

/** The schemas of a tool as the SDK takes them: made once, since a server is made for each request. */
export function schemasOf(tool: Tool): { readonly input: StandardSchemaWithJSON; readonly output: StandardSchemaWithJSON } {
  const known = kept.get(tool.input);
  if (known !== undefined) return known;
  const made = { input: describedOnly(inputOf(tool)), output: fromJsonSchema(outputOf(tool)) };
  kept.set(tool.input, made);
  return made;
}

function inputOf({ input }: Tool): JsonSchema {
  const schema = z.toJSONSchema(input, { io: 'input' });
  return JSON.parse(JSON.stringify(schema, (name, value: unknown) => (UNTOLD.includes(name) ? undefined : value))) as JsonSchema;
}

function outputOf({ output }: Tool) {
  return { type: 'object' as const, properties: { ...ENVELOPE, ...output }, required: Object.keys(ENVELOPE) };
}

/** A schema that clients see and that lets everything pass: the tool checks its arguments itself, and names every fault at once. */
function describedOnly(schema: JsonSchema): StandardSchemaWithJSON {
  const asJson = () => ({ ...schema });
  return {
    '~standard': { version: 1, vendor: 'market-state', validate: (value) => ({ value }), jsonSchema: { input: asJson, output: asJson } },
  };
}
