import { PACKET_FRESH_MS } from '@market-state/packet-views';
import type { Upstreams } from '../../../clients/upstreams';
import { releaseStatus } from '../../../release/release-status';
import type { RunningRelease } from '../../../release/running-release';
import { authStateOf } from '../../../serving/auth/credentials';
import { buildMeta, originOf, toUtc } from '../../../serving/meta/meta';
import { lazyJson, type FixedRepresentation } from '../../../serving/http/representation';
import type { Call, CallContext, HandlerTable } from '../../../serving/answers/handler';
import { construction } from './construction';
import { createTtlCache } from '../../../caches/ttl-cache';
import { createPreviewSource, type FilledTape, type PreviewSource, PREVIEW_CACHE, PREVIEW_TTL_MS } from './preview-source';
import { currentTape, proofBrowser, publicTape } from './proof-browser';
import { PUBLIC_DELAY_MS, TAPE_AGE_SECONDS_MAX } from './tape';
import type { Described } from '../../../serving/openapi/document';

type PreviewCall = Call<'getPacketConstruction' | 'getPublicPacketConstruction'>;

type PreviewHead = Pick<Described<'PacketConstruction'>, 'status' | 'requires_api_key' | 'metered'>;

interface PreviewPageDeps<Head extends PreviewHead, Tape extends object> {
  readonly source: PreviewSource;
  /** Absent if `source` itself is public. */
  readonly publicSource?: PreviewSource;
  readonly head: Head;
  /** Tape of `source` to show in addition to the public one. */
  readonly ownTape: (tape: FilledTape) => Tape;
  readonly baseUrl: () => string;
  readonly releaseState: () => Promise<string>;
  readonly now: () => number;
}

function freshnessOf({ entries }: FilledTape, delayMs: number, nowMs: number): 'fresh' | 'stale' {
  const newestMs = entries.at(-1)?.windowEndMs ?? 0;
  return newestMs + PACKET_FRESH_MS > nowMs - delayMs ? 'fresh' : 'stale';
}

function metaOf(
  { operation, grant }: Pick<CallContext, 'operation' | 'grant'>,
  tape: FilledTape,
  delayMs: number,
  lacking: string,
  nowMs: number,
) {
  const freshness = freshnessOf(tape, delayMs, nowMs);
  const age =
    delayMs === 0
      ? 'Packets without delay.'
      : `Packets from ${delayMs / 1_000} s to ${TAPE_AGE_SECONDS_MAX.toLocaleString('en-US')} s ago.`;
  const late = freshness === 'fresh' ? '' : ' No newer packet is available.';
  return buildMeta({
    sourceKinds: tape.sourceKinds,
    freshness,
    availability: lacking === '' ? 'available' : 'partial',
    statusText: `From ${originOf(tape.sourceKinds)}. ${age}${late}${lacking}`,
    auth: authStateOf(grant),
    delayed: grant?.sandbox ?? false,
    preview: grant === null,
    requiresApiKey: operation.requiresApiKey,
    metered: operation.metered,
    sourceCurrentOnly: false,
  });
}

/** Rendered once per symbol and credential kind and cached as bytes. */
function createPreviewPages<Head extends PreviewHead, Tape extends object>(deps: PreviewPageDeps<Head, Tape>) {
  const { source, publicSource, head, ownTape, baseUrl, releaseState, now } = deps;

  function instants() {
    const nowMs = now();
    return { generated_at_utc: toUtc(nowMs), fresh_until_utc: toUtc((Math.floor(nowMs / PREVIEW_TTL_MS) + 1) * PREVIEW_TTL_MS) };
  }

  async function constructionPage(call: PreviewCall, symbol: string) {
    const tape = await source.tape(symbol);
    const record = await source.sample(tape);
    const times = instants();
    return {
      ...head,
      preview_scope: 'sanitized_packet_construction_only' as const,
      symbol,
      ...times,
      ...construction({ record, entries: tape.entries, baseUrl: baseUrl(), generatedAtUtc: times.generated_at_utc }),
      meta: metaOf(call, tape, source.delayMs, '', now()),
    };
  }

  async function browserPage(call: PreviewCall, symbol: string) {
    const tape = await source.tape(symbol);
    const [stories, depth, receipts, release, shown] = await Promise.all([
      source.stories(tape),
      source.depth(symbol),
      source.receipts(),
      releaseState(),
      publicSource?.view(symbol),
    ]);
    const times = instants();
    const browser = proofBrowser({
      symbol,
      entries: tape.entries,
      stories,
      depth,
      receipts: receipts ?? [],
      delaySeconds: source.delayMs / 1_000,
      generatedAtUtc: times.generated_at_utc,
    });
    return {
      ...head,
      release_state: release,
      ...times,
      ...browser,
      credit_spend_receipts_state: receiptsState(receipts),
      public_packet_tape: publicTape(shown?.entries ?? tape.entries),
      ...ownTape(tape),
      meta: metaOf(call, tape, source.delayMs, receipts === null ? ' Receipts are currently unavailable.' : '', now()),
    };
  }

  function handlerOf<Page extends object>(page: (call: PreviewCall, symbol: string) => Promise<Page>) {
    const pages = createTtlCache<FixedRepresentation<Page>>({ ...PREVIEW_CACHE, now });
    return async (call: PreviewCall): Promise<FixedRepresentation<Page>> => {
      const symbol = call.input.query.symbol;
      await source.symbol(symbol);
      return pages.get(`${symbol} ${authStateOf(call.grant)}`, async () => lazyJson(await page(call, symbol)));
    };
  }

  return { construction: handlerOf(constructionPage), proofBrowser: handlerOf(browserPage) };
}

function receiptsState(receipts: readonly object[] | null): Described<'ProofBrowser'>['credit_spend_receipts_state'] {
  if (receipts === null) return 'not_readable_now';
  return receipts.length === 0 ? 'none_yet' : 'shown';
}

const PUBLIC = { status: 'preview', requires_api_key: false, metered: false } as const;
const KEYED = { status: 'ready', requires_api_key: true, metered: true } as const;

function releaseStateOf(release: RunningRelease): () => Promise<string> {
  return async () => releaseStatus(await release.check()).release_state;
}

/** The upstreams already apply the delay; the tape enforces it again. */
export function publicPreviewSource({ upstreams, now }: Pick<KeyedPreviewDeps, 'upstreams' | 'now'>): PreviewSource {
  const { packets, marketData, shownReceipts: receipts } = upstreams;
  return createPreviewSource({ packets, marketData, receipts, delayMs: PUBLIC_DELAY_MS, now });
}

interface PublicPreviewDeps {
  readonly release: RunningRelease;
  readonly baseUrl: () => string;
  readonly now: () => number;
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

interface KeyedPreviewDeps extends PublicPreviewDeps {
  readonly upstreams: Upstreams;
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
