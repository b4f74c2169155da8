import { fixedRepresentation } from '../http/representation';
import { openApiDocument } from '../openapi/document';
import type { Handler } from './handler';

/** The document, the same bytes on each of its routes. */
export function getOpenApi(): Handler {
  const representation = fixedRepresentation(Buffer.from(JSON.stringify(openApiDocument)));
  return () => representation;
}
