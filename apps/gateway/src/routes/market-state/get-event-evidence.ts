import type { Packet } from '@market-state/labeler';
import { evidenceView } from '@market-state/packet-views';
import type { Upstreams } from '../../clients/upstreams';
import { jsonRepresentation } from '../../serving/http/representation';
import type { ServedPacket } from '../../clients/served-packet';
import { parseInstant } from '../../serving/meta/instant';
import { definitions } from '../../serving/meta/definitions';
import { eventLinks } from './views/event-links';
import { packetAnswer } from '../../serving/answers/packet-answer';
import { readEventPacket } from '../../clients/packets/read-packet';
import { pastOf } from './views/past-of';
import { signatureReader } from './views/signature';
import { readSourceRows } from '../../clients/packets/source-rows';
import type { Handler } from '../../serving/answers/handler';

const ROWS_HELD = {
  evidence_attached: { rowsHeld: 'all', remark: 'The rows it was made of are kept.' },
  retained_companion_rows: { rowsHeld: 'fewer', remark: 'Not all of the rows it was made of are kept.' },
  retained_context_rows: { rowsHeld: 'fewer', remark: 'The rows it was made of are no longer kept, only the packet is.' },
} as const;

/** A packet whose window brought no event lacks no row. */
const NO_ROWS = { rowsHeld: 'all', remark: 'No event came in its window: it was made of the book before it.' } as const;

function digestsOf({ packetDigest, lineageDigest }: ServedPacket, { previous_lineage_digest, input_digest, policy_digest }: Packet) {
  return { packet_digest: packetDigest, lineage_digest: lineageDigest, previous_lineage_digest, input_digest, policy_digest };
}

export function getEventEvidence(upstreams: Upstreams, now: () => number): Handler<'getEventEvidence'> {
  const readSignature = signatureReader(upstreams.packets, now);
  return async ({ operation, grant, input }) => {
    const asOfMs = parseInstant(input.query.as_of) ?? 0;
    const { record, held, logged } = await readEventPacket(upstreams, input.path.event_id, asOfMs);
    const { packet } = logged;
    const [rows, signature] = await Promise.all([readSourceRows(upstreams.marketData, record, packet, asOfMs), readSignature(held)]);
    const subject = {
      held,
      isEvent: true,
      asOfMs,
      speaksToMs: record.windowEndMs,
      nowMs: now(),
      ...(rows.appliedTotal === 0 ? NO_ROWS : ROWS_HELD[rows.status]),
    };
    const links = eventLinks(packet);
    const answer = jsonRepresentation(
      packetAnswer({ operation, grant }, subject, {
        event_id: packet.event_id,
        ...evidenceView(packet, definitions),
        source_window_status: rows.status,
        source_rows: rows.channels,
        digests: digestsOf(held, packet),
        signature,
        replay: {
          ...packet.replay,
          window_start_utc: packet.scope.window_start_utc,
          window_end_utc: packet.scope.window_end_utc,
          verify: links.find(({ rel }) => rel === 'verify') ?? null,
        },
        links,
      }),
    );
    return { ...answer, past: rows.status === 'evidence_attached' ? pastOf(held, record.windowEndMs) : undefined };
  };
}
