import type { Packet } from '@market-state/labeler';
import { missingBetween, lineageRow, adjacentPacketsView, transitionRows } from '@market-state/packet-views';
import type { ReadDeps } from '../../clients/upstreams';
import { jsonRepresentation } from '../../serving/http/representation';
import { parseInstant } from '../../serving/meta/meta';
import { eventLinks, pastOf, LAST_THIRTY } from './event-links';
import { FLAGS_REACH_MS, readLedgerGaps, readAdjacentPackets, readEventPacket } from '../../clients/packets/read-packet';
import { packetAnswer } from '../../serving/answers/packet-answer';
import type { Handler } from '../../serving/answers/handler';
import { type LinkWish, liveLinks } from '../../serving/answers/live-links';

function wishesOf(use: string, { symbol, event_id, replay }: Packet): readonly LinkWish[] {
  const path = { event_id };
  switch (use) {
    case 'monitoring':
      return [
        { rel: 'watch_latest', operationId: 'getLatest', query: { symbol }, purpose: 'Read the newest packet of this symbol.' },
        { rel: 'follow_packets', operationId: 'streamPackets', query: { symbol }, purpose: 'Stream each new packet as it is made.' },
      ];
    case 'replay':
      return [
        {
          rel: 'replay_packets',
          operationId: 'replayPackets',
          query: { symbol, ...LAST_THIRTY, cursor: replay.cursor },
          purpose: 'Review the thirty packets that end with this one.',
        },
      ];
    case 'review':
      return [
        {
          rel: 'review_evidence',
          operationId: 'getEventEvidence',
          path,
          purpose: 'Review the evidence for the packet and the counterevidence.',
        },
        { rel: 'verify_packet', operationId: 'verifyEvent', path, purpose: 'Recompute the packet from stored rows.' },
        { rel: 'review_postmortem', operationId: 'getPostmortem', path, purpose: 'Review the time before, during and after the event.' },
        {
          rel: 'record_feedback',
          operationId: 'createPacketFeedback',
          body: { event_id, label: 'useful' },
          purpose: 'Rate the packet: useful, partial, missing_context or noise.',
        },
      ];
    case 'research':
      return [
        { rel: 'read_history', operationId: 'listHistory', query: { symbol }, purpose: 'Read states and transitions over time.' },
        { rel: 'find_like_events', operationId: 'searchEvents', query: { symbol }, purpose: 'Find events by state, class, tag or text.' },
        { rel: 'join_rows', operationId: 'getEventJoinSpec', path, purpose: 'Join the packet with the rows of its window.' },
      ];
    case 'unattended_routing_with_source_checks':
      return [
        {
          rel: 'check_sources',
          operationId: 'getFeatureQuality',
          query: { symbol },
          purpose: 'Check the source families before software acts on the packet.',
        },
      ];
    default:
      return [];
  }
}

/** Steps that the packet's own guidance allows, as callable routes. */
function nextSteps(packet: Packet) {
  return packet.automation_readiness.allowed_uses.flatMap((use) =>
    liveLinks(wishesOf(use, packet)).map((link) => ({ allowed_use: use, ...link })),
  );
}

/** Packets on each side. */
const SIDE_PACKETS = 30;

export function getPacketWorkbench({ now, ...upstreams }: ReadDeps): Handler<'getPacketWorkbench'> {
  return async ({ operation, grant, input }) => {
    const asOfMs = parseInstant(input.query.as_of) ?? 0;
    const { held, logged } = await readEventPacket(upstreams, input.path.event_id, asOfMs);
    const { packet, windowEndMs } = logged;
    const { symbol } = packet;
    const { before, after } = await readAdjacentPackets(
      upstreams.packets,
      { symbol, windowEndMs, asOfMs },
      { before: SIDE_PACKETS, after: SIDE_PACKETS },
    );
    const all = [...before, logged, ...after];
    const fromMs = (all[0] ?? logged).windowEndMs - FLAGS_REACH_MS;
    const speaksToMs = (all.at(-1) ?? logged).windowEndMs;
    const gaps = await readLedgerGaps(upstreams.marketData, { symbol, fromMs, toMs: speaksToMs + 1, asOfMs });
    const { allowed_uses, blocked_uses, status } = packet.automation_readiness;
    const { recommended_route, route_recommendation, route_reason, missing_routing_inputs } = packet.route_guidance;
    const answer = jsonRepresentation(
      packetAnswer(
        { operation, grant },
        { held, isEvent: true, asOfMs, speaksToMs, nowMs: now() },
        {
          event_id: packet.event_id,
          packet,
          lineage: {
            before: adjacentPacketsView('before', before, SIDE_PACKETS),
            event: lineageRow(logged),
            after: adjacentPacketsView('after', after, SIDE_PACKETS),
            holes: missingBetween(all),
            gaps,
          },
          transitions: transitionRows(all),
          next_steps: {
            automation_status: status,
            route_recommendation,
            recommended_route,
            route_reason,
            allowed_uses,
            blocked_uses,
            missing_routing_inputs,
            steps: nextSteps(packet),
          },
          links: eventLinks(packet),
        },
      ),
    );
    return { ...answer, past: { ...pastOf(held, speaksToMs), upToNewest: after.length < SIDE_PACKETS } };
  };
}
