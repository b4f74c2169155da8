import type { DataHealthWatch } from '../clients/data-health';
import type { Upstreams } from '../clients/upstreams';
import type { RunningRelease } from '../release/running-release';
import { delayedClock } from '../sandbox/delay';
import { delayedMarketData } from '../sandbox/delayed-market-data';
import { delayedPackets } from '../sandbox/delayed-packets';
import { computeLanes, labelingPolicy, stateTaxonomy } from '../policy/published-policy';
import { getDemoBuild } from './get-demo-build';
import { getDocsFile, getDocsPage } from './get-docs';
import { getLlmsText } from './get-llms-text';
import { getOpenApi } from './get-openapi';
import { getProofStatus } from './get-proof-status';
import { getPublishedPolicy } from './get-published-policy';
import { getReleaseStatus } from './get-release-status';
import { getSigningKeys } from './get-signing-keys';
import { getSourceQuality } from './get-source-quality';
import type { Handler } from './handler';

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
