import { labeling, marketData, IDEMPOTENT } from '@market-state/contracts';
import { type ServiceError, isServiceError } from '@market-state/errors';
import { createClient, type RpcIdentity } from '@market-state/grpc';
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
import { operatorIdentity } from '../io/operator-identity';
import type { SystemSettings, VerifySettings, Keys, VerifyEach } from './verify-settings';
import { badInput, type CliError, incomplete } from '../cli-error';
import { readEndpointsFile } from '../io/endpoints-file';

/** `host:port` addresses of a running system. */
export interface Endpoints {
  readonly labeling: string;
  readonly dataPlane: string;
}

/** @throws CliError if there are none */
async function readEndpoints(cwd: string, dataDir: string): Promise<Endpoints> {
  const otherwise = 'its services with --labeling host:port --data-plane host:port';
  const { labeling, data_plane: dataPlane } = await readEndpointsFile(cwd, dataDir, ['labeling', 'data_plane'], otherwise);
  return { labeling, dataPlane };
}

const DEADLINE_MS = 10_000;

export interface RunningSystem {
  readonly labeling: ReturnType<typeof connect>['labeling']['call'];
  readonly dataPlane: ReturnType<typeof connect>['dataPlane']['call'];
}

/** @throws CliError if a service is unreachable or rejects a call */
async function withRunningSystem<T>(endpoints: Endpoints, identity: RpcIdentity, work: (system: RunningSystem) => Promise<T>): Promise<T> {
  const clients = connect(endpoints, identity);
  try {
    return await work({ labeling: clients.labeling.call, dataPlane: clients.dataPlane.call });
  } catch (error) {
    throw isServiceError(error) ? toCliError(error, endpoints) : error;
  } finally {
    await Promise.all([clients.labeling.close(), clients.dataPlane.close()]);
  }
}

function connect(endpoints: Endpoints, identity: RpcIdentity) {
  return {
    labeling: createClient({
      definition: labeling.LabelingServiceService,
      address: endpoints.labeling,
      peer: identity.to('labeling'),
      idempotent: IDEMPOTENT,
      deadlineMs: DEADLINE_MS,
    }),
    dataPlane: createClient({
      definition: marketData.MarketDataServiceService,
      address: endpoints.dataPlane,
      peer: identity.to('data-plane'),
      idempotent: IDEMPOTENT,
      deadlineMs: DEADLINE_MS,
    }),
  };
}

/** All public keys ever used to sign packets. Ids are recomputed from the key bytes. */
async function signingKeys(system: RunningSystem, signal: AbortSignal): Promise<ReadonlyMap<string, SigningKey>> {
  const { keys } = await system.labeling.listSigningKeys({}, { signal });
  return new Map(keys.map(({ publicKey }) => signingKeyOf(publicKey)).map((key) => [key.keyId, key]));
}

function toCliError(error: ServiceError, { labeling: labelingAddress, dataPlane }: Endpoints): CliError {
  const { code, message, faults } = error;
  if (code === 'INVALID_ARGUMENT') return badInput(message, ...faults.map((fault) => `${fault.field}: ${fault.message}`));
  if (isServiceError(error, 'unknown_symbol')) return badInput(message);
  if (code === 'UNAVAILABLE' || code === 'DEADLINE_EXCEEDED') {
    return incomplete(message, `Labeling service: ${labelingAddress}; data plane: ${dataPlane}.`);
  }
  return incomplete(message);
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

export interface SystemSources {
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
  const endpoints = await endpointsOf(settings, io);
  const identity = operatorIdentity(io, settings.dataDir, [endpoints.labeling, endpoints.dataPlane]);
  await withRunningSystem(endpoints, identity, (system) =>
    work({ symbols: symbolSources(system, settings, io.signal), keys: () => signingKeys(system, io.signal) }),
  );
}

async function endpointsOf({ labeling, dataPlane, dataDir }: SystemSettings, io: CliIo): Promise<Endpoints> {
  if (labeling !== undefined && dataPlane !== undefined) return { labeling, dataPlane };
  return readEndpoints(io.cwd, dataDir ?? io.dataDir);
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
