import { type labeling, marketData } from '@market-state/contracts';
import { failedPrecondition, unavailable } from '@market-state/errors';
import type { GrpcClient } from '@market-state/grpc';
import { timeLimit } from '@market-state/lifecycle';
import { type Logger, withRequestContext } from '@market-state/logging';
import { WINDOW_MS } from '@market-state/market-data';
import type { PacketView } from '../serving/answers/packet-answer';
import { STREAM_LIMITS } from './limits';
import { BEFORE_EVERY_PACKET_MS, type StreamPosition } from './position';
import { packetFrame, packetPlace } from './render-frames';
import { type RingReading, createRing, type Ring } from './ring';

const PAGE_SIZE = 25;
/** Deadline of a page: streams tolerate more delay than reads. */
const PAGE_MS = 10_000;
/** Time to fetch packets that were not pushed; the next push goes on from there. */
const FILL_MS = 10_000;

/** The packets of every symbol as they come, each symbol's newest held ready for readers. */
export interface PacketHub {
  /** Takes a pushed packet; packets between it and the one before are fetched first. */
  take(record: labeling.PacketRecord): void;
  /** The ring of a symbol's stream of packets in a view; null before its first packet. */
  ring(symbol: string, view: PacketView): Ring | null;
  /** The symbols of which packets were pushed, by name. */
  symbols(): readonly string[];
  /** Calls back for each further symbol, with its first packet in its ring; gives the way to stop it. */
  onSymbol(onFirst: (symbol: string) => void): () => void;
  /** The symbols whose packets are pushed now; a symbol of which none are for `upstreamTriesMs` is lost until they are again. */
  setPushed(symbols: ReadonlySet<string>): void;
  /** Whether every one of these symbols is lost; null: every symbol. */
  lost(symbols: readonly string[] | null): RingReading['lost'];
  sourceKind(symbol: string): marketData.SourceKind;
  /** Window end of a symbol's newest packet, milliseconds since the epoch. */
  newestMs(symbol: string): number;
  /** Calls back for every later packet of a symbol, in order; gives the way to stop it. */
  follow(symbol: string, onPacket: (record: labeling.PacketRecord) => void): () => void;
  /** Stored packets of a symbol after a window end, oldest first. Throws the ServiceError of labeling. */
  stored(symbol: string, afterMs: number, signal: AbortSignal): AsyncGenerator<labeling.PacketRecord>;
  /**
   * The place right before the first packet of a symbol whose window ends after an instant, milliseconds since the epoch. The symbol has a
   * ring. Throws the ServiceError of labeling.
   */
  placeAfter(symbol: string, windowEndMs: number): Promise<StreamPosition>;
  /** The packet of a window; throws FAILED_PRECONDITION `beyond_retention` when it is no longer kept. */
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
  /** Packets are taken one after the other, for one may wait until those before it are fetched. */
  turn: Promise<void>;
}

function pushTo(rings: SymbolPackets['rings'], record: labeling.PacketRecord): void {
  rings.packet.push(packetFrame(record, 'packet'));
  rings.compact.push(packetFrame(record, 'compact'));
}

/** Where a reader is that has everything before a packet. */
function placeBefore(record: labeling.PacketRecord): StreamPosition {
  return { ...packetPlace(record), ordinal: record.sequence - 1, windowEndMs: record.windowEndMs - WINDOW_MS };
}

/** Fills what the push left out, so that every ring holds a symbol's packets without a hole. */
export function createPacketHub({ packets, logger }: PacketHubDeps): PacketHub {
  const symbols = new Map<string, SymbolPackets>();
  let pushed: ReadonlySet<string> = new Set();
  /** Symbols that are lost. */
  const lost = new Set<string>();
  /** What gives up a symbol whose packets are not pushed. */
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

  async function takeInTurn(held: SymbolPackets, record: labeling.PacketRecord): Promise<void> {
    try {
      await fill(held, record);
      publish(held, record);
    } catch (error) {
      logger.warn({ err: error, symbol: record.symbol }, 'packets that were not pushed cannot be fetched; the next push tries again');
    }
  }

  /** Stored packets of a symbol whose windows end at an instant or later. */
  async function page(symbol: string, fromWindowEndMs: number, pageSize: number, pageToken = ''): Promise<labeling.ListPacketsResponse> {
    const span = { fromWindowEndMs, toWindowEndMs: 0, descending: false, asOfMs: 0 };
    return packets.call.listPackets({ symbol, ...span, pageSize, pageToken }, { deadlineMs: PAGE_MS });
  }

  function begin(record: labeling.PacketRecord): void {
    const start = placeBefore(record);
    const limits = { framesMax: STREAM_LIMITS.packetRingFramesMax, bytesMax: STREAM_LIMITS.packetRingBytesMax };
    const rings = { packet: createRing(start, limits), compact: createRing(start, limits) };
    pushTo(rings, record);
    const held: SymbolPackets = { rings, followers: followersOf(record.symbol), newest: record, turn: Promise.resolve() };
    symbols.set(record.symbol, held);
    watch(record.symbol);
    for (const follower of held.followers) follower(record);
    for (const watcher of watchers) watcher(record.symbol);
  }

  /** Waits for packets of a symbol that are not pushed, for a while. */
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
      reason: unavailable('upstream_unavailable', 'Packets are not pushed.'),
    }),
    sourceKind: (symbol) => symbols.get(symbol)?.newest.sourceKind ?? marketData.SourceKind.UNSPECIFIED,
    take(record) {
      const held = symbols.get(record.symbol);
      if (held === undefined) begin(record);
      else held.turn = held.turn.then(() => withRequestContext({ requestId: `packets-${record.symbol}` }, () => takeInTurn(held, record)));
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
    async placeAfter(symbol, windowEndMs) {
      const held = symbols.get(symbol);
      if (held !== undefined && held.newest.windowEndMs <= windowEndMs) return packetPlace(held.newest);
      const [first] = (await page(symbol, windowEndMs + 1, 1)).packets;
      if (first === undefined) throw unavailable('upstream_unavailable', 'Stored packets end before those that were pushed.');
      return placeBefore(first);
    },
    async require(symbol, windowEndMs) {
      const [first] = (await page(symbol, windowEndMs, 1)).packets;
      if (first?.windowEndMs === windowEndMs) return first;
      throw failedPrecondition(
        'beyond_retention',
        'The packets after this id are no longer kept.',
        first === undefined ? {} : { metadata: { oldest_ms: String(first.windowEndMs) } },
      );
    },
    close() {
      for (const timer of givingUp.values()) clearTimeout(timer);
    },
  };
}
