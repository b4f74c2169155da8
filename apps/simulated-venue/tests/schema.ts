import Ajv2020 from 'ajv/dist/2020';
import schema from '../schemas/hyperliquid.schema.json';

const ajv = new Ajv2020({ strict: true, strictTuples: false });
ajv.addSchema(schema);

/** Empty if the value fits the shape. */
export function faultsOf(shape: keyof (typeof schema)['$defs'], value: unknown): string[] {
  const validate = ajv.getSchema(`hyperliquid#/$defs/${shape}`);
  if (validate === undefined) throw new Error(`no shape ${shape}`);
  return validate(value) === true ? [] : (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
}
