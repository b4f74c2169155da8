import type { labeling } from '@market-state/contracts';
import { invalidArgument, notFound, type Fault, failedPrecondition } from '@market-state/errors';
import { eventIdFaults, instantFaults, symbolFaults, rangeFaults } from '@market-state/request-checks';
import type { StoredPacket, StoredBrief, PacketReader } from '../packets/packet';
import type { EventIndex } from '../events/event-index';
import { assertServed, givenOrNull, spanFaults, readSpanRequest, readPage } from './span-request';
import { toProtoPacket, toProtoArchive } from './wire';
import type { ReadArchiveTotals } from '../store/archive-files';
import type { PacketFeed } from '../packets/packet-feed';

const HEARTBEAT_INTERVAL_MS = 5_000;

interface StreamPacketsDeps {
  readonly feed: PacketFeed;
  readonly symbols: readonly string[];
  readonly labelledSymbols: readonly string[];
  readonly clock: () => number;
}

export async function* streamPackets(
  deps: StreamPacketsDeps,
  request: labeling.StreamPacketsRequest,
  context: { readonly signal: AbortSignal },
): AsyncGenerator<labeling.StreamPacketsResponse> {
  const faults = request.symbols.flatMap((symbol, index) => symbolFaults(symbol, `symbols[${index}]`));
  if (faults.length > 0) throw invalidArgument(faults);
  assertServed(request.symbols, deps.symbols);
  const { labelledSymbols } = deps;
  const other = request.symbols.find((symbol) => !labelledSymbols.includes(symbol));
  if (other !== undefined) throw failedPrecondition('other_shard', `${other} is labelled by another process.`);
  const symbols = request.symbols.length === 0 ? labelledSymbols : [...new Set(request.symbols)];
  yield heartbeatOf(deps);
  for await (const packet of deps.feed.open(symbols, HEARTBEAT_INTERVAL_MS, context.signal)) {
    yield packet === undefined ? heartbeatOf(deps) : { message: { $case: 'packet', value: toProtoPacket(packet) } };
  }
}

function heartbeatOf({ symbols, labelledSymbols, clock }: StreamPacketsDeps): labeling.StreamPacketsResponse {
  const value = { symbols: [...labelledSymbols], sentTsMs: clock(), servedSymbols: [...symbols] };
  return { message: { $case: 'heartbeat', value } };
}

interface EventRequest {
  readonly eventId: string;
  readonly asOfMs: number;
}

/**
 * @throws ServiceError INVALID_ARGUMENT with every fault, NOT_FOUND with reason `unknown_packet` if no such packet was
 * known then
 */
export async function requirePacket(reader: Pick<PacketReader, 'find'>, { eventId, asOfMs }: EventRequest): Promise<StoredPacket> {
  const faults = [...eventIdFaults(eventId), ...instantFaults('as_of_ms', asOfMs)];
  if (faults.length > 0) throw invalidArgument(faults);
  const packet = await reader.find(eventId);
  if (packet === undefined || (asOfMs > 0 && packet.knownTsMs > asOfMs))
    throw notFound('unknown_packet', `There is no packet with the event id ${eventId}.`);
  return packet;
}

interface GetPacketDeps {
  readonly reader: Pick<PacketReader, 'find'>;
}

export async function getPacket({ reader }: GetPacketDeps, request: labeling.GetPacketRequest): Promise<labeling.GetPacketResponse> {
  return { packet: toProtoPacket(await requirePacket(reader, request)) };
}

interface GetLatestPacketDeps {
  readonly reader: Pick<PacketReader, 'newest' | 'list'>;
  readonly symbols: readonly string[];
}

export async function getLatestPacket(
  { reader, symbols }: GetLatestPacketDeps,
  { symbol, asOfMs }: labeling.GetLatestPacketRequest,
): Promise<labeling.GetLatestPacketResponse> {
  const faults = [...symbolFaults(symbol), ...instantFaults('as_of_ms', asOfMs)];
  if (faults.length > 0) throw invalidArgument(faults);
  assertServed([symbol], symbols);
  const packet =
    asOfMs === 0 ? await reader.newest(symbol) : (await reader.list({ symbol, fromMs: null, toMs: null, asOfMs, newestFirst: true }, 1))[0];
  if (packet === undefined) throw failedPrecondition('no_packet_yet', `${symbol} has no packet yet.`);
  return { packet: toProtoPacket(packet) };
}

interface GetPacketArchiveDeps {
  readonly archiveTotals: ReadArchiveTotals;
  readonly symbols: readonly string[];
}

export async function getPacketArchive(
  { archiveTotals, symbols }: GetPacketArchiveDeps,
  { symbol, toWindowEndMs }: labeling.GetPacketArchiveRequest,
): Promise<labeling.GetPacketArchiveResponse> {
  const bound = toWindowEndMs < 0 ? [{ field: 'to_window_end_ms', message: 'must not be negative', type: 'out_of_range' }] : [];
  const faults = [...symbolFaults(symbol), ...bound];
  if (faults.length > 0) throw invalidArgument(faults);
  assertServed([symbol], symbols);
  return toProtoArchive(await archiveTotals('packets', symbol, toWindowEndMs === 0 ? null : toWindowEndMs));
}

interface ListPacketsDeps {
  readonly reader: Pick<PacketReader, 'list'>;
  readonly symbols: readonly string[];
}

export async function listPackets(deps: ListPacketsDeps, request: labeling.ListPacketsRequest): Promise<labeling.ListPacketsResponse> {
  const { span, afterMs, pageSize } = readSpanRequest(request, deps.symbols);
  const page = await readPage(deps.reader, span, afterMs, pageSize);
  return { packets: page.packets.map(toProtoPacket), nextPageToken: page.nextPageToken };
}

const ADJACENT_MAX = 100;

interface AdjacentPacketsDeps {
  readonly reader: Pick<PacketReader, 'briefs'>;
  readonly symbols: readonly string[];
}

function toProto({ brief, ...place }: StoredBrief): labeling.PacketBrief {
  return { ...place, brief: Buffer.from(brief) };
}

export async function listNeighbours(
  { reader, symbols }: AdjacentPacketsDeps,
  { symbol, windowEndMs, before, after, asOfMs }: labeling.ListNeighboursRequest,
): Promise<labeling.ListNeighboursResponse> {
  const faults = [
    ...symbolFaults(symbol),
    ...instantFaults('window_end_ms', windowEndMs),
    ...rangeFaults('before', before, 0, ADJACENT_MAX),
    ...rangeFaults('after', after, 0, ADJACENT_MAX),
    ...instantFaults('as_of_ms', asOfMs),
  ];
  if (faults.length > 0) throw invalidArgument(faults);
  assertServed([symbol], symbols);
  const span = { symbol, asOfMs: givenOrNull(asOfMs) };
  const [earlier, later] = await Promise.all([
    before === 0 ? [] : reader.briefs({ ...span, fromMs: null, toMs: windowEndMs, newestFirst: true }, before),
    after === 0 ? [] : reader.briefs({ ...span, fromMs: windowEndMs + 1, toMs: null, newestFirst: false }, after),
  ]);
  return { before: earlier.toReversed().map(toProto), after: later.map(toProto) };
}

interface PlanPacketSpanDeps {
  readonly events: Pick<EventIndex, 'hours'>;
  readonly symbols: readonly string[];
}

const SPAN_MS_MAX = 31 * 86_400_000;

export async function planPacketSpan(
  { events, symbols }: PlanPacketSpanDeps,
  request: labeling.PlanPacketSpanRequest,
): Promise<labeling.PlanPacketSpanResponse> {
  const { symbol, fromWindowEndMs, toWindowEndMs, asOfMs } = request;
  const faults = [...symbolFaults(symbol), ...wholeSpanFaults(request), ...instantFaults('as_of_ms', asOfMs)];
  if (faults.length > 0) throw invalidArgument(faults);
  assertServed([symbol], symbols);
  const { hours, keptFromMs } = await events.hours({ symbol, fromMs: fromWindowEndMs, toMs: toWindowEndMs, asOfMs: givenOrNull(asOfMs) });
  return {
    hours: hours.map(({ hourMs, rowTotal, file }) => ({
      hourMs,
      rowTotal,
      file: file === undefined ? undefined : { objectKey: file.key, sha256: file.sha256, bytes: file.bytes },
    })),
    keptFromMs: keptFromMs ?? 0,
  };
}

function wholeSpanFaults(request: labeling.PlanPacketSpanRequest): Fault[] {
  const { fromWindowEndMs, toWindowEndMs } = request;
  const faults = spanFaults(request);
  if (faults.length > 0) return faults;
  if (toWindowEndMs > fromWindowEndMs && toWindowEndMs - fromWindowEndMs <= SPAN_MS_MAX) return [];
  return [{ field: 'to_window_end_ms', message: 'must be after from_window_end_ms, by at most 31 days', type: 'out_of_range' }];
}
