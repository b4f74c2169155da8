import type { labeling } from '@market-state/contracts';
import { internal } from '@market-state/errors';
import type { Packet } from '@market-state/labeler';
import type { DataHealth } from '../../clients/data-health';
import type { ServedPacket } from '../../clients/packet-client';
import { isServedRoute } from '../../serving/answers/live-links';
import { type PacketView, toCompactRow, toPacketRef } from '../../serving/answers/packet-answer';
import { toUtc, type AvailabilityState, buildMeta, type FreshnessState, originOf, answerText } from '../../serving/meta/meta';
import type { Described } from '../../serving/openapi/document';
import type { Operation } from '../../serving/openapi/operations';

export type LabelingReach = 'stream' | 'unary' | 'unreachable';

type PacketServingState =
  | 'fresh_packet'
  | 'stale_packet'
  | 'imported_packet'
  | 'fresh_packet_labeling_stream_down'
  | 'retained_packet_labeling_unreachable'
  | 'partial_packets';

export interface ServingFacts {
  readonly reach: LabelingReach;
  readonly dataHealth: DataHealth;
  readonly fresh: boolean;
  readonly missingSymbols: readonly string[];
  /** Symbols of these packets whose history is being filled. */
  readonly filling: readonly string[];
  /** Every packet that is not fresh is of an imported symbol. */
  readonly imported: boolean;
}

interface ServingRead {
  readonly servingState: PacketServingState;
  readonly freshness: FreshnessState;
  readonly availability: AvailabilityState;
  readonly statusText: string;
}

function servingState({ reach, fresh, missingSymbols, imported }: ServingFacts): PacketServingState {
  if (reach === 'unreachable') return 'retained_packet_labeling_unreachable';
  if (missingSymbols.length > 0) return 'partial_packets';
  if (!fresh) return imported ? 'imported_packet' : 'stale_packet';
  return reach === 'stream' ? 'fresh_packet' : 'fresh_packet_labeling_stream_down';
}

function packetSentence(state: PacketServingState, { missingSymbols, filling }: ServingFacts): string {
  switch (state) {
    case 'fresh_packet':
      return 'The newest packet is fresh.';
    case 'stale_packet':
      if (filling.length > 0)
        return `The history of ${filling.join(', ')} is being filled; the newest packet is the one reached so far, not that of now.`;
      return 'The newest packet has passed its staleness limit and no newer one is available.';
    case 'imported_packet':
      return 'The newest packet is from an imported archive, at its own time. No live feed writes this symbol.';
    case 'fresh_packet_labeling_stream_down':
      return 'The newest packet is fresh. The packet stream is down; packets are read individually.';
    case 'retained_packet_labeling_unreachable':
      return 'The labeling service is unreachable; this is the last packet received from it.';
    case 'partial_packets':
      return `No packet has been produced yet for ${missingSymbols.join(', ')}.`;
  }
}

function dataSentence({ reachable, down }: DataHealth): string {
  if (!reachable) return ' The data plane is unreachable.';
  if (down.includes('feed')) return ' feed_unavailable: the market feed is down; new packets resume when it recovers.';
  return down.length === 0 ? '' : ` Data plane components down: ${down.join(', ')}.`;
}

export function readServing(facts: ServingFacts): ServingRead {
  const state = servingState(facts);
  const whole =
    facts.reach === 'stream' && facts.missingSymbols.length === 0 && facts.dataHealth.reachable && facts.dataHealth.down.length === 0;
  return {
    servingState: state,
    freshness: facts.fresh ? 'fresh' : 'stale',
    availability: whole ? 'available' : 'partial',
    statusText: packetSentence(state, facts) + dataSentence(facts.dataHealth),
  };
}

interface LatestFacts {
  readonly packets: readonly [ServedPacket, ...ServedPacket[]];
  readonly missingSymbols: readonly string[];
  readonly reach: LabelingReach;
  readonly dataHealth: DataHealth;
  readonly nowMs: number;
  /** For a sandbox key; default false. */
  readonly delayed?: boolean;
}

export function toRowWithoutPacket({ symbol, eventId, packet, generatedMs, sourceLagMs }: ServedPacket) {
  return {
    symbol,
    event_id: eventId,
    ...repeatedFields(packet),
    packet_generated_at_utc: toUtc(generatedMs),
    packet_source_lag_ms: sourceLagMs,
  };
}

function repeatedFields(packet: Packet) {
  return Object.fromEntries(ROW_FIELDS.map((name) => [name, packet[name]])) as Pick<Packet, (typeof ROW_FIELDS)[number]>;
}

function toRow(served: ServedPacket): Described<'LatestRow'> {
  return { ...toRowWithoutPacket(served), packet: served.packet };
}

/** The contract's limit. Every row names its own routes. */
const NEXT_ROUTES_MAX = 100;

/** Each packet's own guidance first, then its evidence. */
export function nextRoutes(packets: readonly ServedPacket[]): string[] {
  const routes = packets.flatMap(({ packet: { route_guidance: guidance, route_refs: refs } }) => [
    guidance.recommended_route,
    refs['evidence'],
    refs['workbench'],
    refs['replay'],
  ]);
  return [...new Set(routes.filter((route) => route !== undefined).filter(isServedRoute))].slice(0, NEXT_ROUTES_MAX);
}

/** Names the source unless it is only a venue's live feed. */
function originSentence(packets: readonly ServedPacket[]): string {
  const kinds = packets.map((packet) => packet.sourceKind);
  return kinds.every((kind) => kind === 'live') ? '' : ` Packets of ${originOf(kinds)}.`;
}

function joined(sentences: readonly string[]): string {
  return [...new Set(sentences)].join(' ');
}

/** Contains instants, never ages, so that the same facts give the same bytes. */
function aroundRows(operation: Operation, facts: LatestFacts) {
  const { packets, missingSymbols } = facts;
  const freshUntilMs = Math.min(...packets.map((packet) => packet.freshUntilMs));
  const filled = new Set(packets.map(({ symbol }) => symbol));
  const filling = facts.dataHealth.filling.map(({ symbol }) => symbol).filter((symbol) => filled.has(symbol));
  const stale = packets.filter((packet) => facts.nowMs >= packet.freshUntilMs);
  const imported = stale.every(({ symbol }) => facts.dataHealth.imported.includes(symbol));
  const serving = readServing({ ...facts, fresh: stale.length === 0, filling, imported });
  return {
    packet_freshness: {
      freshness_state: serving.freshness,
      expected_interval_seconds: 10 as const,
      window_end_utc: toUtc(Math.min(...packets.map((packet) => packet.windowEndMs))),
      packet_generated_at_utc: toUtc(Math.min(...packets.map((packet) => packet.generatedMs))),
      fresh_until_utc: toUtc(freshUntilMs),
      symbols_without_packet: [...missingSymbols],
    },
    packet_serving_state: serving.servingState,
    meta: buildMeta({
      sourceKinds: packets.map((packet) => packet.sourceKind),
      freshness: serving.freshness,
      availability: serving.availability,
      statusText: serving.statusText + originSentence(packets),
      auth: 'api_key',
      delayed: facts.delayed,
      requiresApiKey: operation.requiresApiKey,
      metered: operation.metered,
      sourceCurrentOnly: serving.freshness === 'fresh' && facts.reach === 'stream',
    }),
  };
}

function renderPackets(operation: Operation, facts: LatestFacts): Described<'LatestResponse'> {
  const { packets } = facts;
  const [first] = packets;
  const { meta, ...around } = aroundRows(operation, facts);
  return {
    schema_version: 'market_state_latest.v1',
    headline: packets.length === 1 ? first.headline : joined(packets.map((packet) => packet.headline)),
    customer_next_step: joined(packets.map((packet) => packet.nextStep)),
    not_a_signal: true,
    ...around,
    packet_ref_total: packets.length,
    packet_refs: packets.map(toPacketRef),
    recommended_next_routes: nextRoutes(packets),
    row_total: packets.length,
    rows: packets.map(toRow),
    meta,
  };
}

function renderCompact(operation: Operation, facts: LatestFacts): Described<'CompactLatest'> {
  const { packets, delayed } = facts;
  const { meta, ...around } = aroundRows(operation, facts);
  return {
    schema_version: 'market_state_compact.v1',
    not_a_signal: true,
    ...around,
    row_total: packets.length,
    rows: packets.map((packet) => toCompactRow(packet, delayed)),
    meta,
  };
}

export type LatestBody = Described<'LatestResponse'> | Described<'CompactLatest'>;

export function renderLatest(operation: Operation, facts: LatestFacts, view: PacketView): LatestBody {
  return view === 'compact' ? renderCompact(operation, facts) : renderPackets(operation, facts);
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const [OPEN_OBJECT, CLOSE_OBJECT, OPEN_LIST, CLOSE_LIST] = [0x7b, 0x7d, 0x5b, 0x5d];

/**
 * Raw members, without parsing. Expects RFC 8785 (no whitespace) and unescaped names.
 * @throws ServiceError INTERNAL if it is not an object or a member is missing
 */
export function cutMembers<Name extends string>(json: Buffer, names: readonly Name[]): Readonly<Record<Name, Buffer>> {
  const wanted: ReadonlySet<string> = new Set(names);
  const found: Partial<Record<string, Buffer>> = {};
  let left = wanted.size;
  for (let at = 1; json[0] === OPEN_OBJECT && json[at] === QUOTE && left > 0; ) {
    const nameEnd = stringEnd(json, at);
    const name = json.toString('latin1', at + 1, nameEnd - 1);
    const end = json[nameEnd] === COLON ? valueEnd(json, nameEnd + 1) : json.length;
    // Unterminated object.
    if (end === json.length) break;
    if (wanted.has(name)) {
      found[name] = json.subarray(nameEnd + 1, end);
      left -= 1;
    }
    at = end + 1;
  }
  if (left > 0) throw internal({ detail: `JSON lacks ${names.filter((name) => found[name] === undefined).join(', ')}` });
  return found as Record<Name, Buffer>;
}

/** Offset after the string that starts at `from`. */
function stringEnd(json: Buffer, from: number): number {
  for (let at = from + 1; at < json.length; at += 1) {
    const byte = json[at];
    if (byte === QUOTE) return at + 1;
    if (byte === BACKSLASH) at += 1;
  }
  return json.length;
}

/** Offset after the value that starts at `from`. */
function valueEnd(json: Buffer, from: number): number {
  let depth = 0;
  for (let at = from; at < json.length; at += 1) {
    const byte = json[at];
    if (byte === QUOTE) at = stringEnd(json, at) - 1;
    else if (byte === OPEN_OBJECT || byte === OPEN_LIST) depth += 1;
    else if (byte === CLOSE_OBJECT || byte === CLOSE_LIST) {
      if (depth === 0) return at;
      depth -= 1;
    } else if (byte === COMMA && depth === 0) return at;
  }
  return json.length;
}

/** Repeated for clients that do not parse the packet, in row order. */
const ROW_FIELDS = [
  'state',
  'event_class',
  'event_profile',
  'transition_type',
  'event_severity',
  'novelty_score',
  'contradiction_score',
  'source_quality_class',
  'packet_producer_lane',
  'packet_quality',
  'client_reason_summary',
  'route_guidance',
  'route_refs',
  'state_hierarchy',
] as const satisfies readonly (keyof Packet)[];

/** JSON row assembled from the packet's own bytes. */
export interface StoredRow<Name extends keyof Packet> {
  member<N extends Name>(name: N): Packet[N];
  /** The row of `toRowWithoutPacket`, plus `fields`. */
  withFields(fields: object): Buffer;
  withPacket(): Buffer;
}

/** @param read members to parse for `member`. @throws ServiceError INTERNAL if the body is not a packet */
export function storedRow<Name extends keyof Packet = never>(record: labeling.PacketRecord, read: readonly Name[] = []): StoredRow<Name> {
  const { symbol, eventId, generatedTsMs, sourceLagMs, body } = record;
  const members = cutMembers<keyof Packet>(body, [...ROW_FIELDS, ...read]);
  const repeated = ROW_FIELDS.flatMap((name) => [Buffer.from(`,"${name}":`), members[name]]);
  const head = Buffer.from(answerText({ symbol, event_id: eventId }).slice(0, -1));
  const times = Buffer.from(`,"packet_generated_at_utc":"${toUtc(generatedTsMs)}","packet_source_lag_ms":${sourceLagMs}`);
  return {
    member: (name) => JSON.parse(members[name].toString('utf8')),
    withFields: (fields) => Buffer.concat([head, ...repeated, times, Buffer.from(`,${JSON.stringify(fields).slice(1)}`)]),
    withPacket: () => Buffer.concat([head, ...repeated, times, Buffer.from(',"packet":'), body, Buffer.from('}')]),
  };
}
