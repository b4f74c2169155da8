import type { TapeEntry } from '@market-state/packet-views';
import { definitions } from '../../../serving/meta/definitions';
import type { Described } from '../../../serving/openapi/described';

const WINDOW_MS = definitions.numbers.windows.packet_interval_ms;

export type MeasuredClaims = Described<'MeasuredClaims'>;

/** What the packets on the tape show, counted. */
export function measuredClaims(entries: readonly TapeEntry[]): MeasuredClaims {
  const [first] = entries;
  const last = entries.at(-1);
  const expected = first === undefined || last === undefined ? 0 : (last.windowEndMs - first.windowEndMs) / WINDOW_MS + 1;
  const verified = entries.filter((entry) => entry.verified).length;
  const resolved = entries.filter(
    ({ packet: { source_resolution: resolution, state_diagnosis: diagnosis } }) =>
      resolution.missing_families.length === 0 && diagnosis.source_support.partial_families.length === 0,
  ).length;
  const flagged = entries.filter(({ packet }) => packet.packet_quality.gap_flags.length > 0).length;
  const total = entries.length;
  const span = `${first?.packet.scope.window_start_utc ?? ''} to ${last?.packet.ts ?? ''}`;
  const claim = (claim_id: string, statement: string, value: number, of: number) => ({
    claim_id,
    statement,
    value,
    of,
    measured_over: span,
  });
  return {
    included_for_preview: [
      claim('packet_coverage', `${total} of the ${expected} packets that one every ten seconds makes are on the tape.`, total, expected),
      claim(
        'chain_verified',
        `${verified} of ${total} packets have the digest that was stored with them and follow the packet before them in the chain.`,
        verified,
        total,
      ),
      claim(
        'all_sources_resolved',
        `${resolved} of ${total} packets had every source family; the others name what is missing.`,
        resolved,
        total,
      ),
      claim('gap_flagged', `${flagged} of ${total} packets carry a gap flag.`, flagged, total),
    ],
    requires_later_sla: [
      {
        claim_id: 'availability',
        statement:
          'How much of the time the service answers is not promised here: it takes an agreement with whoever runs this installation.',
      },
      {
        claim_id: 'latency',
        statement:
          'How soon a packet follows its window depends on the machine and the venue. It is told in every latest ' +
          'response, and not promised here.',
      },
      {
        claim_id: 'source_completeness',
        statement: 'What a venue does not send cannot be had. Gaps are told one by one, and their absence is not promised.',
      },
    ],
  };
}
