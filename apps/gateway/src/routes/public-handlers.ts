import type { DataHealthWatch } from '../clients/data-health';
import type { Upstreams } from '../clients/upstreams';
import type { RunningRelease } from '../release/running-release';
import { delayedClock } from '../clients/delayed/delay';
import { delayedMarketData } from '../clients/delayed/delayed-market-data';
import { delayedPackets } from '../clients/delayed/delayed-packets';
import { computeLanes, labelingPolicy, stateTaxonomy } from './demo/policy/published-policy';
import { getDemoBuild } from './demo/get-demo-build';
import { getDocsFile, getDocsPage } from './meta/reference-page/get-docs';
import { getLlmsText } from './meta/get-llms-text';
import { getOpenApi } from './meta/get-openapi';
import { getProofStatus } from './market-state/get-proof-status';
import { getPublishedPolicy } from './demo/policy/get-published-policy';
import { getReleaseStatus } from './market-state/get-release-status';
import { getSigningKeys } from './meta/get-signing-keys';
import { getSourceQuality } from './market-state/get-source-quality';
import type { Handler } from '../serving/handlers/handler';

export interface PublicHandlerDeps {
  readonly upstreams: Pick<Upstreams, 'marketData' | 'packets'>;
  readonly dataHealth: Pick<DataHealthWatch, 'current'>;
  readonly release: RunningRelease;
  /** Address that this service is reached at. */
  readonly baseUrl: () => string;
  /** Wall clock, milliseconds since the epoch. */
  readonly now: () => number;
}

/** The handlers of what the service tells of itself without a key, by operation id, and of the release. Previews see the market as it was 600 s ago. */
export function publicHandlers({ upstreams, dataHealth, release, baseUrl, now }: PublicHandlerDeps): Readonly<Record<string, Handler>> {
  const clock = delayedClock(now);
  const delayed = { marketData: delayedMarketData(upstreams.marketData, clock), packets: delayedPackets(upstreams.packets, clock), dataHealth, now: clock };
  const openApi = getOpenApi();
  return {
    getOpenapi: openApi,
    getMarketStateOpenapi: openApi,
    getDocsOpenapi: openApi,
    getDocsPage: getDocsPage(),
    getDocsFile: getDocsFile(),
    getLlmsText: getLlmsText(baseUrl),
    getReleaseStatus: getReleaseStatus(release),
    getDemoRelease: getReleaseStatus(release, true),
    getDemoProof: getProofStatus({ ...delayed, release }, true),
    getDemoSourceQuality: getSourceQuality(delayed, true),
    getDemoBuild: getDemoBuild(release),
    getLabelingPolicy: getPublishedPolicy(labelingPolicy, { upstreams, now }),
    getStateTaxonomy: getPublishedPolicy(stateTaxonomy, { upstreams, now }),
    getComputeLanes: getPublishedPolicy(computeLanes, { upstreams, now }),
    getSigningKeys: getSigningKeys(upstreams.packets, now),
  };
}
