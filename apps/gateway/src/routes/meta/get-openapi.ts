import { keptRepresentation } from '../../serving/http/representation';
import { OPENAPI_BYTES } from '../../release/interface-parts';
import type { AnyHandler } from '../../serving/handlers/handler';

/** The document, the same bytes on each of its routes. */
export function getOpenApi(): AnyHandler {
  const representation = keptRepresentation(OPENAPI_BYTES);
  return () => representation;
}
