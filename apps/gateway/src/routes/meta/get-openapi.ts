import { keptJson } from '../../serving/http/representation';
import { openApiDocument } from '../../serving/openapi/document';
import type { Handler } from '../../serving/handlers/handler';

/** The document, the same bytes on each of its routes. */
export function getOpenApi(): Handler<'getOpenapi'> {
  const representation = keptJson(openApiDocument);
  return () => representation;
}
