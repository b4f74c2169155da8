import type { Upstreams } from '../../../clients/upstreams';
import { releaseStatus } from '../../../release/release-status';
import type { RunningRelease } from '../../../release/running-release';
import type { Handler } from '../../../serving/handlers/handler';
import { delayedMarketData } from '../../../clients/delayed/delayed-market-data';
import { delayedPackets } from '../../../clients/delayed/delayed-packets';
import { createPreviewPages } from './preview-pages';
import { createPreviewSource, type PreviewSource } from './preview-source';
import { PUBLIC_DELAY_MS } from './tape-reader';

export interface PreviewDeps {
  readonly upstreams: Upstreams;
  readonly release: RunningRelease;
  readonly baseUrl: () => string;
  /** Wall clock, milliseconds since the epoch. */
  readonly now: () => number;
}

type Handlers = Readonly<Record<string, Handler>>;

function releaseStateOf(release: RunningRelease): () => Promise<string> {
  return async () => releaseStatus(await release.check()).release_state;
}

/** The previews that need no key. Their neighbours tell nothing younger than the delay, and the tape holds to it once more. */
export function publicPreviews({ upstreams, release, baseUrl, now }: PreviewDeps): { readonly source: PreviewSource; readonly handlers: Handlers } {
  const clock = (): number => now() - PUBLIC_DELAY_MS;
  const source = createPreviewSource({
    packets: delayedPackets(upstreams.packets, clock),
    marketData: delayedMarketData(upstreams.marketData, clock),
    receipts: upstreams.shownReceipts,
    delayMs: PUBLIC_DELAY_MS,
    now,
  });
  const pages = createPreviewPages({ source, baseUrl, releaseState: releaseStateOf(release), now });
  return { source, handlers: { getPublicPacketConstruction: pages.construction, getPublicProofBrowser: pages.proofBrowser } };
}

export interface KeyedPreviewDeps extends PreviewDeps {
  readonly publicSource: PreviewSource;
  /** Receipts of calls served before `now` alone, rather than all. */
  readonly receiptsUpToNow: boolean;
}

/** The same pages for those with a key, of packets as they are made. */
export function keyedPreviews({ upstreams, release, baseUrl, now, publicSource, receiptsUpToNow }: KeyedPreviewDeps): Handlers {
  const { packets, marketData, shownReceipts: receipts } = upstreams;
  const source = createPreviewSource({ packets, marketData, receipts, delayMs: 0, receiptsUpToNow, now });
  const pages = createPreviewPages({ source, publicSource, baseUrl, releaseState: releaseStateOf(release), now });
  return { getPacketConstruction: pages.construction, getProofBrowser: pages.proofBrowser };
}
