import { labeling } from '@market-state/contracts';
import { failedPrecondition, notFound, ServiceError, unavailable, unknownSymbol } from '@market-state/errors';
import { bindService, createHealth, type GrpcServer, startGrpcServer } from '@market-state/grpc';
import type { Packet } from '@market-state/labeler';
import { silentLogger } from '@market-state/logging';
import { briefOf } from '@market-state/packet-views';
import { testServing } from '@market-state/testing';
import { createBroadcast } from './broadcast';
import { checkpointOf } from './log-entries';
import { standInPacketFigures } from './statistics';
import { standInEvents, type Verifications } from './labeling-events';
import { type StandInShares, standInShares } from './shares';

const PAGE_PACKETS_MAX = 25;
/** Archive of every symbol. */
const ARCHIVE = { hourTotal: 2, packetTotal: 720, byteTotal: 1_000_000, hotFromWindowEndMs: 7_200_000 };
/** Pages of the real service have at most 1 MiB. */
const PAGE_BYTES_MAX = 900_000;

/** Database shared by labeling processes. */
interface StandInStore {
  readonly newest: Map<string, labeling.PacketRecord>;
  readonly stored: labeling.PacketRecord[];
  readonly symbols: string[];
}

export interface StandInLabeling {
  readonly address: string;
  readonly shared: StandInStore;
  /** Stores a packet as its symbol's newest and pushes it. */
  push(record: labeling.PacketRecord): void;
  /** Pushes a current or former packet again. */
  pushAgain(record: labeling.PacketRecord): void;
  /** Stores a packet without pushing it. */
  store(record: labeling.PacketRecord): void;
  /** Drops packets up to a window end. */
  forget(upToWindowEndMs: number): void;
  /** Adds a symbol. */
  serve(symbol: string): void;
  breakStreams(): void;
  setDown(down: boolean): void;
  subscriberTotal(): number;
  unaryTotal(): number;
  requestIds(): readonly string[];
  readonly shares: StandInShares;
  readonly verifications: Verifications;
  /** Packet statistics received from gateways. */
  readonly gatewayMinutes: readonly labeling.RecordGatewayMinutesRequest[];
  /** Sets the signing keys; none at first. */
  setSigningKeys(keys: labeling.SigningKey[]): void;
  /** Sets this process's self-checks; none at first. */
  setSelfChecks(checks: labeling.SelfCheck[]): void;
  /** Entries between the checkpoint before a packet and its closing entry, 3 at first; null: no checkpoint. */
  setCheckpointEntries(total: number | null): void;
  close(): Promise<void>;
}

/** Packets that fit into a page, at least one. */
function withinBytes(packets: readonly labeling.PacketRecord[]): labeling.PacketRecord[] {
  let bytes = 0;
  const beyond = packets.findIndex(({ body }, index) => (bytes += body.length) > PAGE_BYTES_MAX && index > 0);
  return packets.slice(0, beyond === -1 ? packets.length : beyond);
}

export interface StandInShard {
  readonly address?: string;
  /** Symbols of this process; default all. */
  readonly labels?: readonly string[];
  /** Process whose store it shares; default its own. */
  readonly sharedWith?: StandInLabeling;
}

export async function startStandInLabeling(
  servedFirst: readonly string[],
  { address = '127.0.0.1:0', labels, sharedWith }: StandInShard = {},
): Promise<StandInLabeling> {
  const shared: StandInStore = sharedWith?.shared ?? { newest: new Map(), stored: [], symbols: [...servedFirst] };
  const { newest, stored, symbols } = shared;
  const isOwn = (symbol: string): boolean => labels?.includes(symbol) ?? true;
  const pushed = createBroadcast<labeling.StreamPacketsResponse>();
  const requestIds: string[] = [];
  let down = false;
  let signingKeys: labeling.SigningKey[] = [];
  let selfChecks: labeling.SelfCheck[] = [];
  let checkpointEntries: number | null = 3;
  let unaryTotal = 0;
  const verifications: Verifications = { running: 0, release: undefined };
  const packet = (value: labeling.PacketRecord): labeling.StreamPacketsResponse => ({ message: { $case: 'packet', value } });
  function refuseWhenDown(): void {
    if (down) throw unavailable('upstream_unavailable', 'The store cannot be reached.');
  }
  function beginUnary(): void {
    unaryTotal += 1;
    refuseWhenDown();
  }
  function store(record: labeling.PacketRecord): void {
    newest.set(record.symbol, record);
    stored.splice(stored.findLastIndex(({ windowEndMs }) => windowEndMs <= record.windowEndMs) + 1, 0, record);
  }
  function isKnown({ knownTsMs }: labeling.PacketRecord, asOfMs: number): boolean {
    return asOfMs === 0 || knownTsMs <= asOfMs;
  }
  function packetOf(eventId: string, asOfMs = 0): labeling.PacketRecord {
    beginUnary();
    const record = stored.find((candidate) => candidate.eventId === eventId && isKnown(candidate, asOfMs));
    if (record === undefined) throw notFound('unknown_packet', 'There is no such packet.');
    return record;
  }
  const sharing = standInShares(packetOf, (wanted) => signingKeys.find(({ keyId }) => keyId === wanted));
  const figures = standInPacketFigures(symbols, refuseWhenDown);
  const service = bindService(labeling.LabelingServiceService, {
    ...sharing.calls,
    ...figures.calls,
    planPacketSpan() {
      throw new ServiceError({ code: 'UNIMPLEMENTED', reason: 'unimplemented', sentence: 'This stand-in has no such method.' });
    },
    async getLatestPacket({ symbol, asOfMs }, { requestId }) {
      requestIds.push(requestId);
      beginUnary();
      if (!symbols.includes(symbol)) throw unknownSymbol(symbol, symbols);
      const record =
        asOfMs === 0 ? newest.get(symbol) : stored.findLast((candidate) => candidate.symbol === symbol && isKnown(candidate, asOfMs));
      if (record === undefined) throw failedPrecondition('no_packet_yet', 'No packet has been made yet.');
      return { packet: record };
    },
    async *streamPackets(_request, { signal }) {
      refuseWhenDown();
      const heartbeat = { symbols: symbols.filter(isOwn), servedSymbols: [...symbols], sentTsMs: Date.now() };
      yield { message: { $case: 'heartbeat', value: heartbeat } };
      const later = pushed.subscribe(signal);
      const first = later.next();
      for (const record of newest.values()) if (isOwn(record.symbol)) yield packet(record);
      const next = await first;
      if (next.done !== true) yield next.value;
      yield* later;
    },
    async listPackets({ symbol, fromWindowEndMs, toWindowEndMs, pageSize, pageToken, descending, asOfMs }) {
      beginUnary();
      if (!symbols.includes(symbol)) throw unknownSymbol(symbol, symbols);
      const inside = stored.filter(
        (record) =>
          record.symbol === symbol &&
          record.windowEndMs >= fromWindowEndMs &&
          (toWindowEndMs === 0 || record.windowEndMs < toWindowEndMs) &&
          isKnown(record, asOfMs),
      );
      if (descending) inside.reverse();
      const from = Number(pageToken);
      const packets = withinBytes(inside.slice(from, from + Math.min(pageSize === 0 ? 100 : pageSize, PAGE_PACKETS_MAX)));
      const to = from + packets.length;
      return { packets, nextPageToken: to < inside.length ? String(to) : '' };
    },
    async listNeighbours({ symbol, windowEndMs, before, after, asOfMs }) {
      beginUnary();
      if (!symbols.includes(symbol)) throw unknownSymbol(symbol, symbols);
      const known = stored.filter((record) => record.symbol === symbol && isKnown(record, asOfMs));
      const brief = ({ body, ...record }: labeling.PacketRecord): labeling.PacketBrief => ({
        windowEndMs: record.windowEndMs,
        sequence: record.sequence,
        lineageDigest: record.lineageDigest,
        brief: Buffer.from(JSON.stringify(briefOf(JSON.parse(body.toString('utf8')) as Packet))),
      });
      const [earlier, later] = [
        known.filter((record) => record.windowEndMs < windowEndMs),
        known.filter((record) => record.windowEndMs > windowEndMs),
      ];
      return { before: (before === 0 ? [] : earlier.slice(-before)).map(brief), after: later.slice(0, after).map(brief) };
    },
    async getPacket({ eventId, asOfMs }) {
      return { packet: packetOf(eventId, asOfMs) };
    },
    async getPacketArchive() {
      beginUnary();
      return ARCHIVE;
    },
    async listHeldPackets({ asOfMs }) {
      beginUnary();
      const held = symbols.map((symbol) => {
        const known = stored.filter((record) => record.symbol === symbol && isKnown(record, asOfMs));
        const [first, last] = [known[0], known.at(-1)];
        return {
          symbol,
          firstWindowEndMs: first?.windowEndMs ?? 0,
          lastWindowEndMs: last?.windowEndMs ?? 0,
          packetTotal: first === undefined || last === undefined ? 0 : last.sequence - first.sequence + 1,
          archive: ARCHIVE,
        };
      });
      return { symbols: held };
    },
    async listCheckpoints({ symbol, toWindowEndMs }) {
      const record = stored.find((candidate) => candidate.symbol === symbol && candidate.windowEndMs === toWindowEndMs);
      const checkpoints = record === undefined || checkpointEntries === null ? [] : [checkpointOf(record, checkpointEntries)];
      return { checkpoints, nextPageToken: '' };
    },
    async getCheckpoint({ symbol, windowEndMs }) {
      const record = stored.find((candidate) => candidate.symbol === symbol && candidate.windowEndMs > windowEndMs);
      if (record === undefined || checkpointEntries === null) throw notFound('checkpoint_not_found', 'There is no checkpoint.');
      return { header: checkpointOf(record, checkpointEntries), stateGzip: Buffer.from('state') };
    },
    async listSelfChecks({ asOfMs }) {
      beginUnary();
      return { selfChecks: selfChecks.filter(({ checkedTsMs }) => asOfMs === 0 || checkedTsMs <= asOfMs) };
    },
    async listSigningKeys() {
      return { keys: signingKeys };
    },
    ...standInEvents(verifications, {
      list({ symbol, asOfMs, fromWindowEndMs, toWindowEndMs }) {
        beginUnary();
        return stored.filter(
          (record) =>
            (symbol === '' || record.symbol === symbol) &&
            record.windowEndMs >= fromWindowEndMs &&
            (toWindowEndMs === 0 || record.windowEndMs < toWindowEndMs) &&
            isKnown(record, asOfMs),
        );
      },
    }),
  });
  const server: GrpcServer = await startGrpcServer({
    ...testServing('labeling'),
    address,
    services: [service],
    health: createHealth(),
    logger: silentLogger(),
    shutdownWaitMs: 0,
  });
  return {
    address: server.address,
    shared,
    shares: sharing.shares,
    verifications,
    gatewayMinutes: figures.minutes,
    push(record) {
      store(record);
      pushed.send(packet(record));
    },
    pushAgain: (record) => pushed.send(packet(record)),
    store,
    forget(upToWindowEndMs) {
      stored.splice(
        0,
        stored.findIndex(({ windowEndMs }) => windowEndMs > upToWindowEndMs),
      );
    },
    serve: (symbol) => void symbols.push(symbol),
    breakStreams: () => pushed.breakAll(unavailable('stopping', 'The service is stopping.')),
    setDown(next) {
      down = next;
    },
    subscriberTotal: () => pushed.openTotal(),
    unaryTotal: () => unaryTotal,
    requestIds: () => requestIds,
    setCheckpointEntries(next) {
      checkpointEntries = next;
    },
    setSelfChecks(checks) {
      selfChecks = checks;
    },
    setSigningKeys(keys) {
      signingKeys = keys;
    },
    close: () => server.close(),
  };
}
