import { type labeling, marketData } from '@market-state/contracts';
import { failedPrecondition, unavailable } from '@market-state/errors';
import type { GrpcClient } from '@market-state/grpc';
import { timeLimit } from '@market-state/lifecycle';
import { type Logger, withRequestContext } from '@market-state/logging';
import { WINDOW_MS } from '@market-state/market-data';
import type { PacketView } from '../serving/answers/packet-answer';
import { STREAM_LIMITS } from './limits';
import { BEFORE_EVERY_PACKET_MS, type StreamPosition } from './position';
import { packetFrame, packetPosition } from './render-frames';
import { type RingReading, createRing, type Ring } from './ring';

const PAGE_SIZE = 25;
/** Streams tolerate more delay than reads. */
const PAGE_MS = 10_000;
/** After this the next push continues. */
const FILL_MS = 10_000;

export interface PacketHub {
  /** Fetches any missing packets first. */
  take(record: labeling.PacketRecord): void;
  /** Null before the first packet. */
  ring(symbol: string, view: PacketView): Ring | null;
  symbols(): readonly string[];
  /** Called once the first packet is in the ring; returns the unsubscribe function. */
  onSymbol(onFirst: (symbol: string) => void): () => void;
  /** A symbol not pushed for `upstreamTriesMs` is lost until it is again. */
  setPushed(symbols: ReadonlySet<string>): void;
  /** Lost only when all of these symbols (null: all) are. */
  lost(symbols: readonly string[] | null): RingReading['lost'];
  sourceKind(symbol: string): marketData.SourceKind;
  /** Milliseconds since the epoch. */
  newestMs(symbol: string): number;
  /** Later packets in order; returns the unsubscribe function. */
  follow(symbol: string, onPacket: (record: labeling.PacketRecord) => void): () => void;
  /**
   * Stored packets after a window end, oldest first.
   * @throws {ServiceError}
   */
  stored(symbol: string, afterMs: number, signal: AbortSignal): AsyncGenerator<labeling.PacketRecord>;
  /**
   * Position before the first packet whose window ends after an instant. Requires a ring.
   * @throws {ServiceError}
   */
  positionAfter(symbol: string, windowEndMs: number): Promise<StreamPosition>;
  /** @throws {ServiceError} FAILED_PRECONDITION `beyond_retention` */
  require(symbol: string, windowEndMs: number): Promise<labeling.PacketRecord>;
  close(): void;
}

export interface PacketHubDeps {
  readonly packets: GrpcClient<labeling.LabelingServiceService>;
  readonly logger: Logger;
}

interface SymbolPackets {
  readonly rings: Readonly<Record<PacketView, Ring>>;
  readonly followers: Set<(record: labeling.PacketRecord) => void>;
  newest: labeling.PacketRecord;
  /** Serializes packets: one may wait until earlier ones are fetched. */
  turn: Promise<void>;
}

function pushTo(rings: SymbolPackets['rings'], record: labeling.PacketRecord): void {
  rings.packet.push(packetFrame(record, 'packet'));
  rings.compact.push(packetFrame(record, 'compact'));
}

/** The reader has everything before the packet. */
function positionBefore(record: labeling.PacketRecord): StreamPosition {
  return { ...packetPosition(record), ordinal: record.sequence - 1, windowEndMs: record.windowEndMs - WINDOW_MS };
}

/** Fetches packets missing from the push, so that rings have no gaps. */
export function createPacketHub({ packets, logger }: PacketHubDeps): PacketHub {
  const symbols = new Map<string, SymbolPackets>();
  let pushed: ReadonlySet<string> = new Set();
  const lost = new Set<string>();
  const givingUp = new Map<string, NodeJS.Timeout>();
  const followers = new Map<string, Set<(record: labeling.PacketRecord) => void>>();
  const watchers = new Set<(symbol: string) => void>();

  function followersOf(symbol: string): Set<(record: labeling.PacketRecord) => void> {
    const known = followers.get(symbol) ?? new Set();
    followers.set(symbol, known);
    return known;
  }

  function publish(held: SymbolPackets, record: labeling.PacketRecord): void {
    if (record.windowEndMs <= held.newest.windowEndMs) return;
    held.newest = record;
    pushTo(held.rings, record);
    for (const follower of held.followers) follower(record);
  }

  async function* stored(symbol: string, afterMs: number, signal: AbortSignal): AsyncGenerator<labeling.PacketRecord> {
    let pageToken = '';
    do {
      if (signal.aborted) return;
      const read = await page(symbol, afterMs + 1, PAGE_SIZE, pageToken);
      yield* read.packets;
      pageToken = read.nextPageToken;
    } while (pageToken !== '');
  }

  async function fill(held: SymbolPackets, upTo: labeling.PacketRecord): Promise<void> {
    if (upTo.sequence <= held.newest.sequence + 1) return;
    const deadline = timeLimit(FILL_MS);
    for await (const record of stored(upTo.symbol, held.newest.windowEndMs, deadline)) {
      if (record.windowEndMs >= upTo.windowEndMs) return;
      publish(held, record);
    }
    deadline.throwIfAborted();
  }

  async function takeQueued(held: SymbolPackets, record: labeling.PacketRecord): Promise<void> {
    try {
      await fill(held, record);
      publish(held, record);
    } catch (error) {
      logger.warn({ err: error, symbol: record.symbol }, 'packets missing from the push cannot be fetched; the next push retries');
    }
  }

  async function page(symbol: string, fromWindowEndMs: number, pageSize: number, pageToken = ''): Promise<labeling.ListPacketsResponse> {
    const span = { fromWindowEndMs, toWindowEndMs: 0, descending: false, asOfMs: 0 };
    return packets.call.listPackets({ symbol, ...span, pageSize, pageToken }, { deadlineMs: PAGE_MS });
  }

  function begin(record: labeling.PacketRecord): void {
    const start = positionBefore(record);
    const limits = { framesMax: STREAM_LIMITS.packetRingFramesMax, bytesMax: STREAM_LIMITS.packetRingBytesMax };
    const rings = { packet: createRing(start, limits), compact: createRing(start, limits) };
    pushTo(rings, record);
    const held: SymbolPackets = { rings, followers: followersOf(record.symbol), newest: record, turn: Promise.resolve() };
    symbols.set(record.symbol, held);
    watch(record.symbol);
    for (const follower of held.followers) follower(record);
    for (const watcher of watchers) watcher(record.symbol);
  }

  function watch(symbol: string): void {
    if (pushed.has(symbol)) {
      clearTimeout(givingUp.get(symbol));
      givingUp.delete(symbol);
      lost.delete(symbol);
    } else if (!givingUp.has(symbol)) {
      givingUp.set(symbol, setTimeout(() => lose(symbol), STREAM_LIMITS.upstreamTriesMs).unref());
    }
  }

  function lose(symbol: string): void {
    lost.add(symbol);
    for (const ring of Object.values(symbols.get(symbol)?.rings ?? {})) ring.wake();
  }

  return {
    setPushed(next) {
      pushed = new Set(next);
      for (const symbol of symbols.keys()) watch(symbol);
    },
    lost: (named) => ({
      get aborted() {
        return (named ?? [...symbols.keys()]).every((symbol) => lost.has(symbol));
      },
      reason: unavailable('upstream_unavailable', 'Packets are not being pushed.'),
    }),
    sourceKind: (symbol) => symbols.get(symbol)?.newest.sourceKind ?? marketData.SourceKind.UNSPECIFIED,
    take(record) {
      const held = symbols.get(record.symbol);
      if (held === undefined) begin(record);
      else held.turn = held.turn.then(() => withRequestContext({ requestId: `packets-${record.symbol}` }, () => takeQueued(held, record)));
    },
    symbols: () => [...symbols.keys()].sort(),
    onSymbol(onFirst) {
      watchers.add(onFirst);
      return () => void watchers.delete(onFirst);
    },
    ring: (symbol, view) => symbols.get(symbol)?.rings[view] ?? null,
    newestMs: (symbol) => symbols.get(symbol)?.newest.windowEndMs ?? BEFORE_EVERY_PACKET_MS,
    follow(symbol, onPacket) {
      const all = followersOf(symbol);
      all.add(onPacket);
      return () => void all.delete(onPacket);
    },
    stored,
    async positionAfter(symbol, windowEndMs) {
      const held = symbols.get(symbol);
      if (held !== undefined && held.newest.windowEndMs <= windowEndMs) return packetPosition(held.newest);
      const [first] = (await page(symbol, windowEndMs + 1, 1)).packets;
      if (first === undefined) throw unavailable('upstream_unavailable', 'Stored packets end before the pushed ones.');
      return positionBefore(first);
    },
    async require(symbol, windowEndMs) {
      const [first] = (await page(symbol, windowEndMs, 1)).packets;
      if (first?.windowEndMs === windowEndMs) return first;
      throw failedPrecondition(
        'beyond_retention',
        'Packets after this id are past retention.',
        first === undefined ? {} : { metadata: { oldest_ms: String(first.windowEndMs) } },
      );
    },
    close() {
      for (const timer of givingUp.values()) clearTimeout(timer);
    },
  };
}
