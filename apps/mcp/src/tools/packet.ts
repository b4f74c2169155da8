import type { Schemas } from '@market-state/client';
import { checkSignature } from '@market-state/client/verify';
import { z } from 'zod';
import { pick, type Reported } from '../findings';
import type { Run } from '../session';
import { defineTool, eventId, list, metered, object, type PlannedCall, symbol, text } from './tool';

const verifyInput = z.strictObject({ event_id: eventId, ...metered });

export const verifyPacket = defineTool({
  name: 'verify_packet',
  title: 'Verify a packet against its rows',
  description:
    'The service derives the packet again from its stored rows; digests and signature are checked here against the published key. ' +
    'Cost: 2 credits.',
  input: verifyInput,
  output: { verdict: { enum: ['proved', 'refuted', 'not_proved'] }, derivation: object, checked_here: object, means: text },
  calls: ({ event_id }) => [{ id: 'verifyEvent', params: { event_id } }],
  async run(run, { event_id, detail }) {
    const answer = await run.ask((ms, options) => ms.events.verify({ event_id }, options));
    const keys = await run.ask((ms, options) => ms.signingKeys.get(options));
    const { packet_ref: ref, retained_body_digest, rederived_packet_digest } = answer;
    const digestsAgree = ref.packet_digest === retained_body_digest && ref.packet_digest === rederived_packet_digest;
    const { signature, faults } = await checkSignature(ref, ref.packet_digest, keys);
    const isRefuted = answer.match === false || signature === false;
    const verdict = isRefuted ? 'refuted' : digestsAgree && signature === true ? 'proved' : 'not_proved';
    return {
      of: [answer],
      asOfUtc: answer.window_end_utc,
      failClosed: verdict !== 'proved',
      fields: {
        event_id,
        verdict,
        means: answer.source.detail,
        derivation: {
          result: answer.result,
          cannot_reason: answer.cannot_reason,
          rows_read: answer.rows_read,
          from_checkpoint_utc: answer.checkpoint?.window_end_utc ?? null,
          policy_digest: answer.rederivation_policy_digest,
          ...(detail === 'full' ? { different_fields: answer.different_fields, policy_versions: answer.policy_versions } : {}),
        },
        checked_here: { packet_digest: ref.packet_digest, digests_agree: digestsAgree, signature, key_id: ref.signing_key_id, faults },
      },
      lists: [],
    };
  },
});

type Packet = Schemas['Packet'];

const input = z
  .strictObject({ symbol: symbol.optional(), event_id: eventId.optional(), ...metered })
  .refine((args) => (args.symbol === undefined) !== (args.event_id === undefined), {
    message: 'pass either symbol, for the newest packet, or event_id',
    path: ['symbol'],
  });
type Args = z.output<typeof input>;

export const explainPacket = defineTool({
  name: 'explain_packet',
  title: 'Explain a packet',
  description:
    'Why a market is in its state, the evidence against it, what would end it, each score against its thresholds, and what to check next, ' +
    "in the packet's own sentences. Newest packet by symbol, any by event_id. Cost: 1 credit by symbol, 3 by event_id.",
  input,
  output: {
    packet: object,
    why_now: text,
    what_changed: text,
    supports: list,
    against: list,
    invalidation: list,
    next_check: text,
    thresholds: list,
    candidates: list,
    drivers: object,
    sources: object,
    readout: object,
  },
  calls: (args) => [plannedOf(args)],
  async run(run, args) {
    const { reported, packet, asOfUtc } = await packetOf(run, args);
    return {
      of: [reported],
      asOfUtc,
      gapFlags: packet.packet_quality.gap_flags,
      failClosed: packet.state === 'insufficient_evidence',
      fields: args.detail === 'full' ? { ...shortFields(packet), ...furtherFields(packet) } : shortFields(packet),
      lists: ['candidates', 'reasons', 'thresholds', 'supports', 'invalidation', 'against'],
      rest: () => ({ tool: 'explain_packet', arguments: { event_id: packet.event_id, detail: 'full' } }),
    };
  },
});

function plannedOf({ symbol: one, event_id }: Args): PlannedCall {
  if (event_id !== undefined) return { id: 'getPacketWorkbench', params: { event_id } };
  return { id: 'getLatest', params: { symbol: one ?? '' } };
}

async function packetOf(run: Run, { symbol: one, event_id }: Args): Promise<{ reported: Reported; packet: Packet; asOfUtc: string }> {
  if (event_id !== undefined) {
    const bench = await run.ask((ms, options) => ms.packets.workbench({ event_id }, options));
    return { reported: bench, packet: bench.packet, asOfUtc: bench.window_end_utc };
  }
  const latest = (await run.ask((ms, options) => ms.latest.get({ symbol: one }, options))) as Schemas['LatestResponse'];
  const [row] = latest.rows;
  if (row === undefined) throw new RangeError(`${one} has no packet yet`);
  return { reported: latest, packet: row.packet, asOfUtc: row.packet.scope.window_end_utc };
}

function shortFields(packet: Packet) {
  const { client_readout: readout, client_reason_summary: summary, state_decision_trace: trace, confidence, event_severity } = packet;
  const claims = (stance: string) => packet.reason_details.filter((reason) => reason.stance === stance).map(({ claim }) => claim);
  return {
    packet: {
      ...pick(packet, 'symbol', 'event_id', 'state'),
      winner_state: trace.winner_state,
      event_class: packet.event_class,
      severity: event_severity.score,
      confidence: typeof confidence === 'string' ? confidence : confidence.score,
    },
    headline: readout.headline,
    why_now: summary.why_now,
    against: claims('weighs_against'),
    invalidation: summary.invalidation_conditions,
    next_check: summary.next_check,
    supports: claims('supports'),
    thresholds: thresholdsOf(trace.composites ?? {}),
  };
}

/** Sorted by distance over the first threshold: short answers keep the relevant ones. */
function thresholdsOf(composites: NonNullable<Schemas['StateDecisionTrace']['composites']>) {
  return Object.entries(composites)
    .map(([name, { score, watch, elevated, level, side }]) => ({ name, score, side, watch, elevated, level }))
    .toSorted((a, b) => (b.score ?? 0) / b.watch - (a.score ?? 0) / a.watch);
}

function furtherFields(packet: Packet) {
  const { scope, state_decision_trace: trace, driver_strengths, source_status, client_readout, packet_quality } = packet;
  return {
    what_changed: packet.client_reason_summary.what_changed,
    candidates: trace.candidate_states,
    drivers: driver_strengths,
    sources: source_status,
    readout: { ...client_readout, calibration: packet.calibration_context },
    quality: packet_quality,
    venue: scope.venue,
    reasons: packet.reason_details.map((reason) => pick(reason, 'claim', 'stance', 'reason_family', 'horizon')),
    tags: packet.tags,
  };
}
