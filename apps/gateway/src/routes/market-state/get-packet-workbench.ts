import { holesBetween, lineageRow, neighboursView, transitionRows } from '@market-state/packet-views';
import type { Upstreams } from '../../clients/upstreams';
import { jsonRepresentation } from '../../serving/http/representation';
import { parseInstant } from '../../serving/meta/instant';
import { eventLinks } from './views/event-links';
import { FLAGS_REACH_MS, readLedgerGaps } from '../../clients/packets/ledger-gaps';
import { pastOf } from './views/past-of';
import { nextSteps } from './views/next-steps';
import { packetAnswer } from '../../serving/answers/packet-answer';
import { readNeighbours } from '../../clients/packets/packet-neighbours';
import { readEventPacket } from '../../clients/packets/read-packet';
import type { Handler } from '../../serving/answers/handler';

/** Packets on each side. */
const SIDE_PACKETS = 30;

export function getPacketWorkbench(upstreams: Upstreams, now: () => number): Handler<'getPacketWorkbench'> {
  return async ({ operation, grant, input }) => {
    const asOfMs = parseInstant(input.query.as_of) ?? 0;
    const { held, logged } = await readEventPacket(upstreams, input.path.event_id, asOfMs);
    const { packet, windowEndMs } = logged;
    const { symbol } = packet;
    const { before, after } = await readNeighbours(
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
            before: neighboursView('before', before, SIDE_PACKETS),
            event: lineageRow(logged),
            after: neighboursView('after', after, SIDE_PACKETS),
            holes: holesBetween(all),
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
