import type { PacketClient } from '../../clients/packet-client';
import { getOpenApi } from './get-openapi';
import { getSigningKeys } from './get-signing-keys';

export interface MetaDeps {
  readonly packets: PacketClient;
  /** Wall clock, milliseconds since the epoch. */
  readonly now: () => number;
}

/** What the service says of itself, by operation id. */
export function metaHandlers({ packets, now }: MetaDeps) {
  const openApi = getOpenApi();
  return {
    getOpenapi: openApi,
    getMarketStateOpenapi: openApi,
    getDocsOpenapi: openApi,
    getSigningKeys: getSigningKeys(packets, now),
  };
}
