import type { Upstreams } from '../../clients/upstreams';
import { releaseStatus } from '../../release/release-status';
import type { RunningRelease } from '../../release/running-release';
import { getDemoBuild } from './get-demo-build';
import { listPrices } from './list-prices';
import { getPublishedPolicy, computeLanes, labelingPolicy, stateTaxonomy } from './published-policy';
import { createPreviewPages } from './previews/preview-pages';
import { currentTape } from './previews/proof-browser';
import { createPreviewSource, type PreviewSource } from './previews/preview-source';
import { PUBLIC_DELAY_MS } from './previews/tape';
import { getShareBadge, getSharedPacket } from './shared-packets';
import type { HandlerTable } from '../../serving/answers/handler';

export interface DemoDeps {
  readonly upstreams: Upstreams;
  readonly release: RunningRelease;
  readonly baseUrl: () => string;
  readonly now: () => number;
}

/** Not reduced: the policy, the build and shared packets. */
export function openDemos({ upstreams, release, now }: DemoDeps) {
  return {
    getDemoBuild: getDemoBuild(release),
    listPrices: listPrices(),
    getLabelingPolicy: getPublishedPolicy(labelingPolicy, { upstreams, now }),
    getStateTaxonomy: getPublishedPolicy(stateTaxonomy, { upstreams, now }),
    getComputeLanes: getPublishedPolicy(computeLanes, { upstreams, now }),
    getSharedPacket: getSharedPacket(upstreams),
    getShareBadge: getShareBadge(upstreams),
  };
}

const PUBLIC = { status: 'preview', requires_api_key: false, metered: false } as const;
const KEYED = { status: 'ready', requires_api_key: true, metered: true } as const;

function releaseStateOf(release: RunningRelease): () => Promise<string> {
  return async () => releaseStatus(await release.check()).release_state;
}

/** The upstreams already apply the delay; the tape enforces it again. */
export function publicPreviewSource({ upstreams, now }: Pick<DemoDeps, 'upstreams' | 'now'>): PreviewSource {
  const { packets, marketData, shownReceipts: receipts } = upstreams;
  return createPreviewSource({ packets, marketData, receipts, delayMs: PUBLIC_DELAY_MS, now });
}

export interface PublicPreviewDeps extends DemoDeps {
  readonly publicSource: PreviewSource;
}

type PublicPreviews = HandlerTable<'getPublicPacketConstruction' | 'getPublicProofBrowser'>;
type KeyedPreviews = HandlerTable<'getPacketConstruction' | 'getProofBrowser'>;

export function publicPreviews({ publicSource: source, baseUrl, release, now }: PublicPreviewDeps): PublicPreviews {
  const pages = createPreviewPages({
    source,
    head: PUBLIC,
    ownTape: () => ({}),
    baseUrl,
    releaseState: releaseStateOf(release),
    now,
  });
  return { getPublicPacketConstruction: pages.construction, getPublicProofBrowser: pages.proofBrowser };
}

export interface KeyedPreviewDeps extends PublicPreviewDeps {
  /** Shows only receipts of calls served before `now`. */
  readonly receiptsUpToNow: boolean;
}

/** The same pages for callers with a key, without the public delay. */
export function keyedPreviews({ upstreams, release, baseUrl, now, publicSource, receiptsUpToNow }: KeyedPreviewDeps): KeyedPreviews {
  const { packets, marketData, shownReceipts: receipts } = upstreams;
  const source = createPreviewSource({ packets, marketData, receipts, delayMs: 0, receiptsUpToNow, now });
  const pages = createPreviewPages({
    source,
    publicSource,
    head: KEYED,
    ownTape: ({ entries }) => ({ packet_tape: currentTape(entries) }),
    baseUrl,
    releaseState: releaseStateOf(release),
    now,
  });
  return { getPacketConstruction: pages.construction, getProofBrowser: pages.proofBrowser };
}
