import { type labeling, marketData } from '@market-state/contracts';
import {
  type AlteredRow,
  refuseEmptySpan,
  type RetainedCheckpoint,
  type RetainedPacket,
  sha256Hex,
  type Span,
  type SymbolSource,
} from '@market-state/labeler';
import { decodeEvent, type MarketEvent, WINDOW_MS } from '@market-state/market-data';
import type { RunningSystem } from './running-system';

const HOUR_MS = 3_600_000;
const PAGE_SIZE = 1_000;
/** A minute of feed time: packets are pushed as soon as they are made, entries are recorded in batches. */
const AWAITING_MAX = 6;

const SOURCE_KINDS: Readonly<Record<marketData.SourceKind, string>> = {
  [marketData.SourceKind.UNSPECIFIED]: 'unspecified',
  [marketData.SourceKind.LIVE]: 'live',
  [marketData.SourceKind.RECORDED]: 'recorded',
  [marketData.SourceKind.SIMULATED]: 'simulated',
};

/**
 * One symbol of a running system. Bounds that are not given: the hour up to the newest packet.
 * @throws SourceError when `from` lies after the newest packet
 */
export async function systemSource(
  system: RunningSystem,
  symbol: string,
  asked: Partial<Span>,
  signal: AbortSignal,
): Promise<SymbolSource> {
  const { packet } = await system.labeling.getLatestPacket({ symbol, asOfMs: 0 }, { signal });
  const newestRetainedMs = packet?.windowEndMs ?? 0;
  const toMs = asked.toMs ?? newestRetainedMs + WINDOW_MS;
  const span = { fromMs: asked.fromMs ?? Math.max(1, toMs - HOUR_MS), toMs };
  refuseEmptySpan(symbol, span, newestRetainedMs);
  const altered: AlteredRow[] = [];
  return {
    symbol,
    span,
    newestRetainedMs,
    awaitingMax: AWAITING_MAX,
    checkpoints: await checkpointsOf(system, symbol, signal),
    reaches: () => true,
    stateGzip: async ({ window_end_ms: windowEndMs }) =>
      (await system.labeling.getCheckpoint({ symbol, windowEndMs }, { signal })).stateGzip,
    packets: (wanted) => packetsOf(system, symbol, wanted, signal),
    entries: (afterOrdinal) => entriesOf(system, symbol, afterOrdinal, altered, signal),
    altered,
  };
}

async function checkpointsOf({ labeling: service }: RunningSystem, symbol: string, signal: AbortSignal): Promise<RetainedCheckpoint[]> {
  const found: RetainedCheckpoint[] = [];
  const pages = pagesOf((page) => service.listCheckpoints({ symbol, fromWindowEndMs: 0, toWindowEndMs: 0, ...page }, { signal }));
  for await (const { checkpoints } of pages) found.push(...checkpoints.map(toCheckpoint));
  return found;
}

function toCheckpoint(header: labeling.CheckpointHeader): RetainedCheckpoint {
  return {
    symbol: header.symbol,
    window_end_ms: header.windowEndMs,
    epoch: header.epoch,
    ordinal: header.ordinal,
    lineage_digest: header.lineageDigest,
    policy_digest: header.policyDigest,
    state_digest: header.stateDigest,
  };
}

async function* packetsOf(
  { labeling: service }: RunningSystem,
  symbol: string,
  span: Span,
  signal: AbortSignal,
): AsyncGenerator<RetainedPacket> {
  if (span.fromMs >= span.toMs) return;
  const pages = pagesOf((page) =>
    service.listPackets(
      { symbol, fromWindowEndMs: span.fromMs, toWindowEndMs: span.toMs, descending: false, asOfMs: 0, ...page },
      { signal },
    ),
  );
  for await (const { packets } of pages) yield* packets.map(toRetained);
}

/** Every page of a list, first to last. */
async function* pagesOf<T extends { readonly nextPageToken: string }>(
  read: (page: { pageSize: number; pageToken: string }) => Promise<T>,
): AsyncGenerator<T> {
  let pageToken = '';
  do {
    const page = await read({ pageSize: PAGE_SIZE, pageToken });
    yield page;
    pageToken = page.nextPageToken;
  } while (pageToken !== '');
}

function toRetained(record: labeling.PacketRecord): RetainedPacket {
  return {
    symbol: record.symbol,
    windowEndMs: record.windowEndMs,
    packetId: record.packetId,
    eventId: record.eventId,
    inputDigest: record.inputDigest,
    policyDigest: record.policyDigest,
    previousLineageDigest: null,
    packetDigest: record.packetDigest,
    lineageDigest: record.lineageDigest,
    sourceKind: SOURCE_KINDS[record.sourceKind],
    closingOrdinal: record.closingOrdinal === 0 ? null : record.closingOrdinal,
    headline: record.headline,
    customerNextStep: record.customerNextStep,
    signature: record.signature.length === 0 ? null : Buffer.from(record.signature).toString('base64'),
    signingKeyId: record.signingKeyId === '' ? null : record.signingKeyId,
    bodyDigest: sha256Hex(record.body),
    readBody: () => Promise.resolve(Buffer.from(record.body).toString('utf8')),
  };
}

async function* entriesOf(
  { dataPlane }: RunningSystem,
  symbol: string,
  afterOrdinal: number,
  altered: AlteredRow[],
  signal: AbortSignal,
): AsyncGenerator<readonly MarketEvent[]> {
  for await (const message of dataPlane.streamLogEntries({ symbol, afterOrdinal, toOrdinal: 0 }, { signal })) {
    const events = message.entries.map(decodeEvent);
    const ordinals = new Set(message.contradictingOrdinals);
    for (const { ordinal, exchangeTsMs } of events) {
      if (ordinals.has(ordinal)) altered.push({ ordinal, windowEndMs: Math.ceil(exchangeTsMs / WINDOW_MS) * WINDOW_MS });
    }
    yield events;
  }
  signal.throwIfAborted();
}
