import type { account } from '@market-state/contracts';
import { isServiceError } from '@market-state/errors';
import type { GrpcClient } from '@market-state/grpc';
import { chooseSample, chooseStories, type TapeEntry } from '@market-state/packet-views';
import { createTtlCache } from '../../../caches/ttl-cache';
import { type MarketDataClient, type ServedSymbol, servedSymbols, symbolIn } from '../../../clients/market-data-client';
import type { PacketClient } from '../../../clients/packet-client';
import { type ArchiveDepth, archiveDepth, type PublicReceipt, showPublicReceipt, storyEvidence } from './browser-facts';
import type { ConstructionSource } from './construction';
import type { ScenarioStory } from './proof-browser';
import { createTape, createTapeReader, emptyTape, type TapeView } from './tape';

/** Lifetime of the source data and of the pages made from it: one window of packets. */
export const PREVIEW_TTL_MS = 10_000;
/** Pages expire together with their source data. A failed load is not retried for a second. */
export const PREVIEW_CACHE = { ttlMs: PREVIEW_TTL_MS, aligned: true, failureTtlMs: 1_000, entriesMax: 64 } as const;
/** Lifetime of counts over all stored rows. */
const DEPTH_TTL_MS = 60_000;

const RECEIPTS_SHOWN = 12;

export interface PreviewSourceDeps {
  readonly packets: PacketClient;
  readonly marketData: MarketDataClient;
  readonly receipts: GrpcClient<account.ShownReceiptServiceService>;
  /** Minimum age of packets; 0: no delay. */
  readonly delayMs: number;
  /** Shows only receipts of calls served before `now`; default false. */
  readonly receiptsUpToNow?: boolean;
  readonly now: () => number;
}

/** A tape with at least one packet. */
export interface FilledTape extends TapeView {
  readonly entries: readonly [TapeEntry, ...TapeEntry[]];
}

/** All packet data passes through the tape. */
export interface PreviewSource {
  readonly delayMs: number;
  /** @throws ServiceError `unknown_symbol` if the symbol is not served */
  symbol(symbol: string): Promise<ServedSymbol>;
  /** The packets that are old enough; may be empty. */
  view(symbol: string): Promise<TapeView>;
  /** @throws ServiceError `no_packet_yet` if no packet is old enough */
  tape(symbol: string): Promise<FilledTape>;
  /** Packet that illustrates how packets are made. */
  sample(tape: FilledTape): Promise<ConstructionSource['record']>;
  stories(tape: FilledTape): Promise<readonly [ScenarioStory, ...ScenarioStory[]]>;
  depth(symbol: string): Promise<ArchiveDepth>;
  /** Newest public receipts; null if they are unavailable. */
  receipts(): Promise<readonly PublicReceipt[] | null>;
}

export function createPreviewSource({
  packets,
  marketData,
  receipts,
  delayMs,
  receiptsUpToNow = false,
  now,
}: PreviewSourceDeps): PreviewSource {
  const settings = { ...PREVIEW_CACHE, now };
  const served = createTtlCache<ServedSymbol[]>(settings);
  const tapes = createTtlCache<TapeView>(settings);
  const depths = createTtlCache<ArchiveDepth>({ ...settings, ttlMs: DEPTH_TTL_MS });
  const reader = createTapeReader(packets, delayMs, now);
  const tape = createTape(reader);

  const view = (symbol: string): Promise<TapeView> => tapes.get(symbol, () => tape.read(symbol));

  async function restoredStory(story: ScenarioStory['story']): Promise<ScenarioStory> {
    const record = await reader.packet(story.event.packet.event_id);
    return { story, evidence: await storyEvidence(marketData, record, 0) };
  }

  return {
    delayMs,
    symbol: async (symbol) => symbolIn(await served.get('', () => servedSymbols(marketData)), symbol),
    view,
    async tape(symbol) {
      const { entries, sourceKinds } = await view(symbol);
      const [first, ...others] = entries;
      if (first === undefined) throw emptyTape(symbol, delayMs);
      return { entries: [first, ...others], sourceKinds };
    },
    sample: ({ entries }) => reader.packet((chooseSample(entries) ?? entries[0]).packet.event_id),
    async stories({ entries }) {
      const [first, ...others] = chooseStories(entries);
      if (first === undefined) throw new Error('a tape with packets has no story');
      const [reported, ...further] = await Promise.all([restoredStory(first), ...others.map(restoredStory)]);
      return [reported, ...further];
    },
    depth: (symbol) => depths.get(symbol, () => archiveDepth({ marketData, packets }, symbol)),
    async receipts() {
      try {
        const answer = await receipts.call.listShownReceipts({ limit: RECEIPTS_SHOWN, servedBeforeTsMs: receiptsUpToNow ? now() : 0 });
        return answer.receipts.map(showPublicReceipt);
      } catch (error) {
        if (!isServiceError(error)) throw error;
        return null;
      }
    },
  };
}
