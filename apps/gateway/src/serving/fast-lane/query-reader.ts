import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020';
import type { Operation } from '../openapi/operations';
import { queryShapes, readQuery } from '../validation/read-query';
import type { QueryValues } from './fast-read';

const MEMO_SIZE = 1_000;

/** Of schemas of the OpenAPI document, which is checked elsewhere: to compile the schema of schemas takes longer than all of these. */
const ajv = new Ajv2020({ strict: false, useDefaults: true, validateFormats: false, validateSchema: false });
const validators = new WeakMap<Operation, ValidateFunction>();

/** Gives the same object for the same text, as long as it is remembered; null when the query is not plainly good. */
export type QueryReader = (rawQuery: string) => QueryValues | null;

/**
 * Reads queries by a validator compiled from the operation's own parameters. One that needs more than a schema, such as an instant, is
 * left to the full route unless it has its default.
 */
export function compileQueryReader(operation: Operation): QueryReader {
  const shapes = queryShapes(operation);
  const parameters = operation.parameters.filter(({ in: place }) => place === 'query');
  const formatted = parameters.filter(({ schema }) => 'format' in schema);
  const validate = validatorOf(operation, parameters);
  const wholeNumbers = parameters.filter(({ name }) => shapes.get(name)?.wholeNumber).map(({ name }) => name);
  const memo = new Map<string, QueryValues | null>();

  function read(rawQuery: string): QueryValues | null {
    const { values: sent, faults } = readQuery(rawQuery, shapes, operation.furtherQuery);
    if (faults.length > 0) return null;
    const values: Record<string, unknown> = { ...sent };
    for (const name of wholeNumbers) if (name in sent) values[name] = Number(sent[name]);
    if (!validate(values)) return null;
    return formatted.some(({ name, schema }) => values[name] !== schema['default']) ? null : values;
  }

  return (rawQuery) => {
    const known = memo.get(rawQuery);
    if (known !== undefined) return known;
    const query = read(rawQuery);
    if (memo.size >= MEMO_SIZE) memo.clear();
    memo.set(rawQuery, query);
    return query;
  };
}

/** Of the values of an operation's query, with its defaults filled in. */
function validatorOf(operation: Operation, parameters: Operation['parameters']): ValidateFunction {
  const known = validators.get(operation);
  if (known !== undefined) return known;
  const made = ajv.compile({
    type: 'object',
    required: parameters.filter((parameter) => parameter['required'] === true || 'default' in parameter.schema).map(({ name }) => name),
    properties: Object.fromEntries(parameters.map(({ name, schema }) => [name, schema])),
  });
  validators.set(operation, made);
  return made;
}
