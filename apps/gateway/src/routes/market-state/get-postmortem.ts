import { POSTMORTEM_REACH, postmortemView } from '@market-state/packet-views';
import type { Upstreams } from '../../clients/upstreams';
import { jsonRepresentation } from '../../serving/http/representation';
import { parseInstant } from '../../serving/meta/instant';
import { definitions } from '../../serving/meta/definitions';
import { eventLinks, pastOf } from './event-links';
import { FLAGS_REACH_MS, readLedgerGaps, readAdjacentPackets, readEventPacket } from '../../clients/packets/read-packet';
import { packetAnswer } from '../../serving/answers/packet-answer';
import type { Handler } from '../../serving/answers/handler';

export function getPostmortem(upstreams: Upstreams, now: () => number): Handler<'getPostmortem'> {
  return async ({ operation, grant, input }) => {
    const asOfMs = parseInstant(input.query.as_of) ?? 0;
    const { held, logged } = await readEventPacket(upstreams, input.path.event_id, asOfMs);
    const { packet, windowEndMs } = logged;
    const { symbol } = packet;
    const { before, after } = await readAdjacentPackets(upstreams.packets, { symbol, windowEndMs, asOfMs }, POSTMORTEM_REACH);
    const { span, ...view } = postmortemView([...before, logged, ...after], logged, definitions);
    const gaps = await readLedgerGaps(upstreams.marketData, {
      symbol,
      fromMs: span.firstMs - FLAGS_REACH_MS,
      toMs: span.lastMs + 1,
      asOfMs,
    });
    const remark = view.complete ? 'The period after the event is complete.' : 'The period after the event is not complete yet.';
    const answer = jsonRepresentation(
      packetAnswer(
        { operation, grant },
        { held, isEvent: true, asOfMs, speaksToMs: span.lastMs, nowMs: now(), remark, completeness: view.complete ? 'all' : 'fewer' },
        {
          event_id: packet.event_id,
          state: packet.state,
          state_label: packet.state_label,
          event_class: packet.event_class,
          ...view,
          what_was_missing: { ...view.what_was_missing, gaps },
          links: eventLinks(packet),
        },
      ),
    );
    return { ...answer, past: view.complete ? pastOf(held, span.lastMs) : undefined };
  };
}
