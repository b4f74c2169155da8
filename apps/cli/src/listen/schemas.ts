import { Ajv2020 } from 'ajv/dist/2020';
import addFormats from 'ajv-formats';
import type { MarketState } from '@market-state/client';

/** What is wrong with the body of a kind of message, by the schema that the service publishes; undefined when nothing is. */
export type SchemaCheck = (kind: string, body: unknown) => string | undefined;

/** The schemas of messages in the OpenAPI document of the service. */
export async function readSchemas(ms: MarketState): Promise<SchemaCheck> {
  return schemaCheck((await ms.documents.openapi()).data);
}

/** The check by the `webhooks` section of an OpenAPI document. */
function schemaCheck(document: object): SchemaCheck {
  const ajv = new Ajv2020({ strict: false, allErrors: true, allowUnionTypes: true, validateSchema: false });
  addFormats.default(ajv);
  ajv.addSchema(document, 'openapi');
  return (kind, body) => {
    const path = ['webhooks', kind, 'post', 'requestBody', 'content', 'application/json', 'schema'];
    const pointer = path.map((part) => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'))).join('/');
    const validate = ajv.getSchema(`openapi#/${pointer}`);
    if (validate === undefined) return `the service describes no kind ${kind}`;
    return validate(body) === true ? undefined : ajv.errorsText(validate.errors, { dataVar: 'body' });
  };
}
