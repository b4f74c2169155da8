import type { labeling } from '@market-state/contracts';
import type { Packet } from '@market-state/labeler';
import { evidenceView, POSTMORTEM_REACH, postmortemView } from '@market-state/packet-views';
import { createTtlCache } from '../../caches/ttl-cache';
import type { PacketClient, ServedPacket } from '../../clients/packet-client';
import { FLAGS_REACH_MS, readAdjacentPackets, readEventPacket, readLedgerGaps } from '../../clients/packets/read-packet';
import { readSourceRows } from '../../clients/packets/source-rows';
import type { ReadDeps } from '../../clients/upstreams';
import type { Handler } from '../../serving/answers/handler';
import { packetAnswer } from '../../serving/answers/packet-answer';
import { jsonRepresentation } from '../../serving/http/representation';
import { parseInstant, toUtc, toUtcOrNull, definitions } from '../../serving/meta/meta';
import type { Described } from '../../serving/openapi/document';
import { eventLinks, pastOf } from './event-links';

/** Maximum delay until the end of a replaced key shows here. */
const TTL_MS = 5_000;

/** Null if the packet is not signed. */
export function signatureReader({ call }: PacketClient, now: () => number) {
  const list = () => call.listSigningKeys({});
  const cache = createTtlCache<labeling.ListSigningKeysResponse>({ ttlMs: TTL_MS, now });

  /** A key newer than the cached list triggers a reload. */
  async function keyOf(signingKeyId: string): Promise<labeling.SigningKey | undefined> {
    const named = ({ keyId }: labeling.SigningKey): boolean => keyId === signingKeyId;
    return (await cache.get('', list)).keys.find(named) ?? (await list()).keys.find(named);
  }

  return async ({ signature, signingKeyId }: ServedPacket): Promise<Described<'PacketSignature'> | null> => {
    if (signature === null || signingKeyId === null) return null;
    const key = await keyOf(signingKeyId);
    return {
      algorithm: 'ed25519',
      signed: 'the 32 bytes of packet_digest',
      signature,
      signing_key_id: signingKeyId,
      public_key: key === undefined ? null : key.publicKey.toString('base64'),
      key_valid_from_utc: key === undefined ? null : toUtc(key.validFromMs),
      key_valid_to_utc: key === undefined ? null : toUtcOrNull(key.validToMs),
    };
  };
}

const ROWS_HELD = {
  evidence_attached: { completeness: 'all', remark: 'All source rows are retained.' },
  retained_companion_rows: { completeness: 'fewer', remark: 'Some source rows are no longer retained.' },
  retained_context_rows: { completeness: 'fewer', remark: 'Only the packet is retained; its source rows are not.' },
} as const;

/** A window without events lacks no rows. */
const NO_ROWS = { completeness: 'all', remark: 'Its window had no events: the packet was made from the preceding book.' } as const;

function digestsOf({ packetDigest, lineageDigest }: ServedPacket, { previous_lineage_digest, input_digest, policy_digest }: Packet) {
  return { packet_digest: packetDigest, lineage_digest: lineageDigest, previous_lineage_digest, input_digest, policy_digest };
}

export function getEventEvidence({ now, ...upstreams }: ReadDeps): Handler<'getEventEvidence'> {
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

export function getPostmortem({ now, ...upstreams }: ReadDeps): Handler<'getPostmortem'> {
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
