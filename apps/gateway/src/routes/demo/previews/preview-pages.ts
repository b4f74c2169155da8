import { PACKET_FRESH_MS } from '@market-state/packet-views';
import { authStateOf } from '../../../serving/auth/grant';
import { buildMeta } from '../../../serving/meta/meta';
import { originOf } from '../../../serving/meta/origin';
import { type FixedRepresentation, fixedRepresentation } from '../../../serving/http/representation';
import { toUtc } from '../../../serving/meta/utc';
import type { CallContext, Handler } from '../../../serving/handlers/handler';
import { construction } from './construction';
import { createStretchCache } from '../../../clients/stretch-cache';
import { type FilledTape, type PreviewSource, STRETCH_MS } from './preview-source';
import { currentTape, proofBrowser, publicTape } from './proof-browser';
import { TAPE_AGE_MS_MAX } from './tape-reader';

/** Both kinds of page take the same parameters. */
type PreviewHandler = Handler<'getPacketConstruction' | 'getPublicPacketConstruction'>;

/** Pages held at once: two a symbol and kind of reader. */
const PAGES_MAX = 128;

export interface PreviewPageDeps {
  readonly source: PreviewSource;
  /** The tape that anyone may read; absent where `source` is it. */
  readonly publicSource?: PreviewSource;
  readonly baseUrl: () => string;
  readonly releaseState: () => Promise<string>;
  /** Wall clock, milliseconds since the epoch. */
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
      ? 'Packets as they are made.'
      : `Packets that were known ${delayMs / 1_000} s to ${(TAPE_AGE_MS_MAX / 1_000).toLocaleString('en-US')} s ago.`;
  const late = freshness === 'fresh' ? '' : ' No newer one has been made.';
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

/** The two preview pages, for one kind of reader: each is made once for a symbol and a stretch of time, and kept as bytes. */
export function createPreviewPages({ source, publicSource, baseUrl, releaseState, now }: PreviewPageDeps): {
  readonly construction: PreviewHandler;
  readonly proofBrowser: PreviewHandler;
} {
  const pages = createStretchCache<FixedRepresentation>({ stretchMs: STRETCH_MS, entriesMax: PAGES_MAX, now });

  function accessOf({ operation }: CallContext) {
    return { requires_api_key: operation.requiresApiKey, metered: operation.metered };
  }

  function instants() {
    const nowMs = now();
    return { generated_at_utc: toUtc(nowMs), fresh_until_utc: toUtc((Math.floor(nowMs / STRETCH_MS) + 1) * STRETCH_MS) };
  }

  async function constructionPage(call: CallContext, symbol: string): Promise<object> {
    const tape = await source.tape(symbol);
    const record = await source.sample(tape);
    const times = instants();
    return {
      status: source.delayMs === 0 ? 'ready' : 'preview',
      preview_scope: 'sanitized_packet_construction_only',
      ...accessOf(call),
      symbol,
      ...times,
      ...construction({ record, entries: tape.entries, baseUrl: baseUrl(), generatedAtUtc: times.generated_at_utc }),
      meta: metaOf(call, tape, source.delayMs, '', now()),
    };
  }

  async function browserPage(call: CallContext, symbol: string): Promise<object> {
    const tape = await source.tape(symbol);
    const [stories, depth, receipts, release, shown] = await Promise.all([
      source.stories(tape),
      source.depth(symbol),
      source.receipts(),
      releaseState(),
      publicSource?.tape(symbol),
    ]);
    const times = instants();
    const told = proofBrowser({
      symbol,
      entries: tape.entries,
      stories,
      depth,
      receipts: receipts ?? [],
      delaySeconds: source.delayMs / 1_000,
      generatedAtUtc: times.generated_at_utc,
    });
    return {
      status: source.delayMs === 0 ? 'ready' : 'preview',
      release_state: release,
      ...accessOf(call),
      ...times,
      ...told,
      credit_spend_receipts_state: receipts === null ? 'not_readable_now' : receipts.length === 0 ? 'none_yet' : 'shown',
      public_packet_tape: publicTape(shown?.entries ?? tape.entries),
      ...(shown === undefined ? {} : { packet_tape: currentTape(tape.entries) }),
      meta: metaOf(call, tape, source.delayMs, receipts === null ? ' Receipts cannot be read now.' : '', now()),
    };
  }

  function handlerOf(kind: string, page: (call: CallContext, symbol: string) => Promise<object>): PreviewHandler {
    return async (call) => {
      const symbol = call.input.query.symbol;
      await source.symbol(symbol);
      return pages.get(`${kind} ${symbol} ${authStateOf(call.grant)}`, async () =>
        fixedRepresentation(Buffer.from(JSON.stringify(await page(call, symbol)))),
      );
    };
  }

  return { construction: handlerOf('construction', constructionPage), proofBrowser: handlerOf('proof_browser', browserPage) };
}
