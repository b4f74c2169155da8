import { keptJson } from '../../serving/http/representation';
import { openApiDocument } from '../../serving/openapi/document';
import type { Handler } from '../../serving/answers/handler';

/** Made when it is first asked for. */
let representation: ReturnType<typeof keptJson<typeof openApiDocument>> | undefined;

/** The document, the same bytes on each of its routes. */
export function getOpenApi(): Handler<'getOpenapi'> {
  return () => (representation ??= keptJson(openApiDocument));
}
