import type { DataHealth } from '../clients/data-health';
import { buildMeta, originOf } from '../serving/meta/meta';
import { toUtc } from '../serving/meta/instant';
import type { Operation } from '../serving/openapi/operations';
import type { ServedPacket } from '../clients/served-packet';
import { type PacketView, toCompactRow, toPacketRef } from '../serving/answers/packet-answer';
import { isServedRoute } from '../serving/answers/live-links';
import type { Described } from '../serving/openapi/described';
import { type LabelingReach, readServing } from './serving-state';

/** What a latest response is made from. `held` has at least one packet. */
export interface LatestFacts {
  readonly held: readonly [ServedPacket, ...ServedPacket[]];
  readonly missingSymbols: readonly string[];
  readonly reach: LabelingReach;
  readonly dataHealth: DataHealth;
  readonly nowMs: number;
  /** For a sandbox key; default false. */
  readonly delayed?: boolean;
}

/** A row without the packet itself: fields that it repeats for those who do not open the packet. */
export function toRowWithoutPacket({ symbol, eventId, packet, generatedMs, sourceLagMs }: ServedPacket) {
  return {
    symbol,
    event_id: eventId,
    state: packet.state,
    event_class: packet.event_class,
    event_profile: packet.event_profile,
    transition_type: packet.transition_type,
    event_severity: packet.event_severity,
    novelty_score: packet.novelty_score,
    contradiction_score: packet.contradiction_score,
    source_quality_class: packet.source_quality_class,
    packet_producer_lane: packet.packet_producer_lane,
    packet_quality: packet.packet_quality,
    client_reason_summary: packet.client_reason_summary,
    route_guidance: packet.route_guidance,
    route_refs: packet.route_refs,
    state_hierarchy: packet.state_hierarchy,
    packet_generated_at_utc: toUtc(generatedMs),
    packet_source_lag_ms: sourceLagMs,
  };
}

function toRow(held: ServedPacket): Described<'LatestRow'> {
  return { ...toRowWithoutPacket(held), packet: held.packet };
}

/** Where a reader of these packets goes next: first where each packet's own guidance leads, then what it rests on. */
function nextRoutes(held: readonly ServedPacket[]): string[] {
  const routes = held.flatMap(({ packet: { route_guidance: guidance, route_refs: refs } }) => [
    guidance.recommended_route,
    refs['evidence'],
    refs['workbench'],
    refs['replay'],
  ]);
  return [...new Set(routes.filter((route) => route !== undefined).filter(isServedRoute))];
}

/** Says of packets that do not come from a venue's live feed alone where they come from. */
function originSentence(held: readonly ServedPacket[]): string {
  const kinds = held.map((packet) => packet.sourceKind);
  return kinds.every((kind) => kind === 'live') ? '' : ` Packets of ${originOf(kinds)}.`;
}

function joined(sentences: readonly string[]): string {
  return [...new Set(sentences)].join(' ');
}

/** What both views of `latest` say of the packets as a whole. Holds instants, never ages: the same facts give the same text. */
function aroundRows(operation: Operation, facts: LatestFacts) {
  const { held, missingSymbols } = facts;
  const freshUntilMs = Math.min(...held.map((packet) => packet.freshUntilMs));
  const serving = readServing({ ...facts, fresh: facts.nowMs < freshUntilMs });
  return {
    packet_freshness: {
      freshness_state: serving.freshness,
      expected_interval_seconds: 10 as const,
      window_end_utc: toUtc(Math.min(...held.map((packet) => packet.windowEndMs))),
      packet_generated_at_utc: toUtc(Math.min(...held.map((packet) => packet.generatedMs))),
      fresh_until_utc: toUtc(freshUntilMs),
      symbols_without_packet: [...missingSymbols],
    },
    packet_serving_state: serving.servingState,
    meta: buildMeta({
      sourceKinds: held.map((packet) => packet.sourceKind),
      freshness: serving.freshness,
      availability: serving.availability,
      statusText: serving.statusText + originSentence(held),
      auth: 'api_key',
      delayed: facts.delayed,
      requiresApiKey: operation.requiresApiKey,
      metered: operation.metered,
      sourceCurrentOnly: serving.freshness === 'fresh' && facts.reach === 'stream',
    }),
  };
}

/** The response of `latest` with the whole packets. */
function renderPackets(operation: Operation, facts: LatestFacts): Described<'LatestResponse'> {
  const { held } = facts;
  const [first] = held;
  const { meta, ...around } = aroundRows(operation, facts);
  return {
    schema_version: 'market_state_latest.v1',
    headline: held.length === 1 ? first.headline : joined(held.map((packet) => packet.headline)),
    customer_next_step: joined(held.map((packet) => packet.nextStep)),
    not_a_signal: true,
    ...around,
    packet_ref_total: held.length,
    packet_refs: held.map(toPacketRef),
    recommended_next_routes: nextRoutes(held),
    row_total: held.length,
    rows: held.map(toRow),
    meta,
  };
}

/** The response of `latest` with a screen of each packet. */
function renderCompact(operation: Operation, facts: LatestFacts): Described<'CompactLatest'> {
  const { held, delayed } = facts;
  const { meta, ...around } = aroundRows(operation, facts);
  return {
    schema_version: 'market_state_compact.v1',
    not_a_signal: true,
    ...around,
    row_total: held.length,
    rows: held.map((packet) => toCompactRow(packet, delayed)),
    meta,
  };
}

/** A response of `latest` in either view. */
export type LatestBody = Described<'LatestResponse'> | Described<'CompactLatest'>;

/** The response of `latest` in a view. */
export function renderLatest(operation: Operation, facts: LatestFacts, view: PacketView): LatestBody {
  return view === 'compact' ? renderCompact(operation, facts) : renderPackets(operation, facts);
}
