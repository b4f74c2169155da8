import type { PacketClient } from '../../clients/packet-client';
import { getDocsFile, getDocsPage } from './reference-page/get-docs';
import { getLlmsText } from './get-llms-text';
import { getOpenApi } from './get-openapi';
import { getSigningKeys } from './get-signing-keys';

export interface MetaDeps {
  readonly packets: PacketClient;
  /** Address that this service is reached at. */
  readonly baseUrl: () => string;
  /** Wall clock, milliseconds since the epoch. */
  readonly now: () => number;
}

/** What the service says of itself, by operation id. */
export function metaHandlers({ packets, baseUrl, now }: MetaDeps) {
  const openApi = getOpenApi();
  return {
    getOpenapi: openApi,
    getMarketStateOpenapi: openApi,
    getDocsOpenapi: openApi,
    getDocsPage: getDocsPage(baseUrl),
    getDocsFile: getDocsFile(),
    getLlmsText: getLlmsText(baseUrl),
    getSigningKeys: getSigningKeys(packets, now),
  };
}
