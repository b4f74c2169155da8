import { checkSignature } from '@market-state/client/verify';
import { z } from 'zod';
import { defineTool, eventId, metered, object, type PlannedCall, text } from './tool';

const input = z.strictObject({ event_id: eventId, ...metered });

export const verifyPacket = defineTool({
  name: 'verify_packet',
  title: 'Whether a packet is what its rows make of it',
  description:
    'The service derives the packet again from its stored rows; digests and signature are compared here, against the published key. ' +
    'Cost: 2 credits.',
  input,
  output: { verdict: { enum: ['proved', 'refuted', 'not_proved'] }, derivation: object, checked_here: object, means: text },
  calls: ({ event_id }): readonly PlannedCall[] => [{ id: 'verifyEvent', params: { event_id } }],
  cheaper: () => null,
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
