import { Ajv2020 } from 'ajv/dist/2020';
import type { PacketView } from '../serving/answers/packet-answer';
import { dereference, openApiDocument } from '../serving/openapi/document';

/** What is wrong with an answer by its schema in the document; null when nothing is. */
export type ResponseCheck = (body: unknown) => string | null;

const checks = new Map<string, ResponseCheck>();

/** The check against a named response schema of the document, compiled once in a process. */
export function responseCheck(schemaName: string): ResponseCheck {
  const check = checks.get(schemaName) ?? compileCheck(schemaName);
  checks.set(schemaName, check);
  return check;
}

function compileCheck(schemaName: string): ResponseCheck {
  const ajv = new Ajv2020({ strict: false, allErrors: true, allowUnionTypes: true, formats: { password: true } });
  const validate = ajv.compile(dereference(openApiDocument, openApiDocument.components.schemas[schemaName] ?? false) as object);
  return (body) => (validate(body) ? null : ajv.errorsText(validate.errors, { dataVar: 'response' }));
}

/** The checks of `latest`, by view. */
export function latestChecks(): Readonly<Record<PacketView, ResponseCheck>> {
  return { packet: responseCheck('LatestResponse'), compact: responseCheck('CompactLatest') };
}
