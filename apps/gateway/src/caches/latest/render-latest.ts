import type { Packet } from '@market-state/labeler';
import type { DataHealth } from '../../clients/data-health';
import { buildMeta, originOf, type AvailabilityState, type FreshnessState } from '../../serving/meta/meta';
import { toUtc } from '../../serving/meta/instant';
import type { Operation } from '../../serving/openapi/operations';
import type { ServedPacket } from '../../clients/packet-client';
import { type PacketView, toCompactRow, toPacketRef } from '../../serving/answers/packet-answer';
import { isServedRoute } from '../../serving/answers/live-links';
import type { Described } from '../../serving/openapi/described';
import { ROW_FIELDS } from './stored-row';

/** Delivery of packets to this gateway. */
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

/** Each packet's own guidance first, then its evidence. */
function nextRoutes(packets: readonly ServedPacket[]): string[] {
  const routes = packets.flatMap(({ packet: { route_guidance: guidance, route_refs: refs } }) => [
    guidance.recommended_route,
    refs['evidence'],
    refs['workbench'],
    refs['replay'],
  ]);
  return [...new Set(routes.filter((route) => route !== undefined).filter(isServedRoute))];
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
