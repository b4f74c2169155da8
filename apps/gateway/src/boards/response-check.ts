import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020';
import { dereference } from '../serving/openapi/dereference';
import { openApiDocument } from '../serving/openapi/document';

/** What is wrong with an answer by its schema in the document; null when nothing is. */
export type ResponseCheck = (body: unknown) => string | null;

/** A check against a named response schema of the document. */
export function compileResponseCheck(schemaName: string): ResponseCheck {
  const ajv = new Ajv2020({ strict: false, allErrors: true, allowUnionTypes: true, formats: { password: true } });
  const validate: ValidateFunction = ajv.compile(
    dereference(openApiDocument, openApiDocument.components.schemas[schemaName] ?? false) as object,
  );
  return (body) => (validate(body) ? null : ajv.errorsText(validate.errors, { dataVar: 'response' }));
}
