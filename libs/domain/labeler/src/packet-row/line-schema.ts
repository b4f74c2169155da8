import Ajv, { type ErrorObject, type ValidateFunction } from 'ajv';
import { LineError } from './line-error';

/**
 * A function that takes parsed JSON for what the schema describes. It throws a LineError with every fault. The schema is compiled at first
 * use.
 */
export function lineReader<T>(schema: { readonly title: string }): (json: unknown) => T {
  let validate: ValidateFunction | undefined;
  return (json) => {
    validate ??= new Ajv({ allErrors: true, strict: true, allowUnionTypes: true }).compile(schema);
    if (!validate(json)) throw new LineError(schema.title, (validate.errors ?? []).map(faultOf));
    return json as T;
  };
}

function faultOf({ instancePath, keyword, params, message = keyword }: ErrorObject): string {
  const at = instancePath.slice(1);
  switch (keyword) {
    case 'required':
      return `${String(params.missingProperty)} is missing`;
    case 'additionalProperties':
      return `${String(params.additionalProperty)} is not a field of it`;
    case 'const':
      return `${at} must be ${JSON.stringify(params.allowedValue)}`;
    default:
      return at === '' ? message : `${at} ${message}`;
  }
}
