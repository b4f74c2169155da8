import { labeling, marketData } from '@market-state/contracts';
import { isServiceError } from '@market-state/errors';
import type { ClientCalls } from '@market-state/grpc';
import {
  type SymbolSource,
  type AlteredRow,
  refuseEmptySpan,
  type RetainedCheckpoint,
  type RetainedPacket,
  sha256Hex,
  type Span,
  signingKeyOf,
  type SigningKey,
} from '@market-state/labeler';
import { decodeEvent, type MarketEvent, WINDOW_MS } from '@market-state/market-data';
import type { CliIo } from '../io/cli-io';
import { fromServiceError, operatorClient, operatorIdentity } from '../operator/service-client';
import type { SystemSettings, VerifySettings, Keys, VerifyEach } from './verify-settings';
import { badInput } from '../cli-error';
import { readEndpointsFile } from '../io/text-file';

const DEADLINE_MS = 10_000;

interface RunningSystem {
  readonly labeling: ClientCalls<labeling.LabelingServiceService>;
  readonly dataPlane: ClientCalls<marketData.MarketDataServiceService>;
}

/** All public keys ever used to sign packets. Ids are recomputed from the key bytes. */
async function signingKeys(system: RunningSystem, signal: AbortSignal): Promise<ReadonlyMap<string, SigningKey>> {
  const { keys } = await system.labeling.listSigningKeys({}, { signal });
  return new Map(keys.map(({ publicKey }) => signingKeyOf(publicKey)).map((key) => [key.keyId, key]));
}

const HOUR_MS = 3_600_000;
const PAGE_SIZE = 1_000;
/** A minute of feed time: packets are sent immediately, entries are recorded in batches. */
const AWAITING_MAX = 6;

const SOURCE_KINDS: Readonly<Record<marketData.SourceKind, string>> = {
  [marketData.SourceKind.UNSPECIFIED]: 'unspecified',
  [marketData.SourceKind.LIVE]: 'live',
  [marketData.SourceKind.RECORDED]: 'recorded',
  [marketData.SourceKind.SIMULATED]: 'simulated',
};

/**
 * Default span: the hour up to the newest packet.
 * @throws SourceError if `from` is after the newest packet
 */
async function systemSource(system: RunningSystem, symbol: string, requested: Partial<Span>, signal: AbortSignal): Promise<SymbolSource> {
  const { packet } = await system.labeling.getLatestPacket({ symbol, asOfMs: 0 }, { signal });
  const newestRetainedMs = packet?.windowEndMs ?? 0;
  const toMs = requested.toMs ?? newestRetainedMs + WINDOW_MS;
  const span = { fromMs: requested.fromMs ?? Math.max(1, toMs - HOUR_MS), toMs };
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

/** Checks signatures with the system's own key registry unless a key is given. */
export async function verifySystem(settings: VerifySettings, io: CliIo, given: Keys, verify: VerifyEach): Promise<void> {
  await withSystemSources(settings, io, async (sources) => {
    const keys = given.size > 0 ? given : await sources.keys();
    for await (const source of sources.symbols) await verify(source, keys);
  });
}

interface SystemSources {
  /** The requested symbol, or every symbol served, by name. */
  readonly symbols: AsyncIterable<SymbolSource>;
  keys(): Promise<Keys>;
}

/** @throws CliError if a service is unreachable or rejects a call */
export async function withSystemSources(
  settings: SystemSettings,
  io: CliIo,
  work: (sources: SystemSources) => Promise<void>,
): Promise<void> {
  const [labelingAddress, dataPlaneAddress] = await addressesOf(settings, io);
  const identity = operatorIdentity(io, settings.dataDir, [labelingAddress, dataPlaneAddress]);
  const service = operatorClient(labeling.LabelingServiceService, labelingAddress, identity.to('labeling'), DEADLINE_MS);
  const dataPlane = operatorClient(marketData.MarketDataServiceService, dataPlaneAddress, identity.to('data-plane'), DEADLINE_MS);
  const system = { labeling: service.call, dataPlane: dataPlane.call };
  try {
    await work({ symbols: symbolSources(system, settings, io.signal), keys: () => signingKeys(system, io.signal) });
  } catch (error) {
    if (!isServiceError(error)) throw error;
    if (error.reason === 'unknown_symbol') throw badInput(error.message);
    throw fromServiceError(error, `Labeling service: ${labelingAddress}; data plane: ${dataPlaneAddress}.`);
  } finally {
    await Promise.all([service.close(), dataPlane.close()]);
  }
}

/** Addresses of labeling and the data plane. @throws CliError if none are given and no system runs here */
async function addressesOf({ labeling: service, dataPlane, dataDir }: SystemSettings, io: CliIo): Promise<readonly [string, string]> {
  if (service !== undefined && dataPlane !== undefined) return [service, dataPlane];
  const otherwise = 'its services with --labeling host:port --data-plane host:port';
  const found = await readEndpointsFile(io.cwd, dataDir ?? io.dataDir, ['labeling', 'data_plane'], otherwise);
  return [found.labeling, found.data_plane];
}

async function* symbolSources(
  system: RunningSystem,
  { symbol: requested, span }: SystemSettings,
  signal: AbortSignal,
): AsyncGenerator<SymbolSource> {
  const symbols = requested === undefined ? await symbolsOf(system.dataPlane, signal) : [requested];
  for (const symbol of symbols) yield await systemSource(system, symbol, span, signal);
}

async function symbolsOf(dataPlane: RunningSystem['dataPlane'], signal: AbortSignal): Promise<string[]> {
  const { instruments } = await dataPlane.listInstruments({}, { signal });
  return instruments.map(({ symbol }) => symbol).sort();
}
