import type { PacketClient } from '../../clients/packet-client';
import { getSigningKeys } from './get-signing-keys';
import { keptJson } from '../../serving/http/representation';
import { openApiDocument } from '../../serving/openapi/document';
import type { Handler } from '../../serving/answers/handler';

let representation: ReturnType<typeof keptJson<typeof openApiDocument>> | undefined;

/** Serves identical bytes on each of its routes. */
function getOpenApi(): Handler<'getOpenapi'> {
  return () => (representation ??= keptJson(openApiDocument));
}

interface MetaDeps {
  readonly packets: PacketClient;
  readonly now: () => number;
}

export function metaHandlers({ packets, now }: MetaDeps) {
  const openApi = getOpenApi();
  return {
    getOpenapi: openApi,
    getMarketStateOpenapi: openApi,
    getDocsOpenapi: openApi,
    getSigningKeys: getSigningKeys(packets, now),
  };
}
