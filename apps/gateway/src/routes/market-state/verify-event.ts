import { labeling } from '@market-state/contracts';
import { isServiceError } from '@market-state/errors';
import { servedSymbols } from '../../clients/market-data-client';
import { noSuchEvent, type PacketClient, fromProtoPacket } from '../../clients/packet-client';
import type { ReadDeps } from '../../clients/upstreams';
import { storedAnswer } from '../../clients/packets/stored-answer';
import { createTenantLimit } from '../../serving/admission';
import { jsonRepresentation } from '../../serving/http/representation';
import { toUtc, parseInstant } from '../../serving/meta/meta';
import { toPacketRef } from '../../serving/answers/packet-answer';
import type { Handler } from '../../serving/answers/handler';
import { documentedWord } from '../../serving/openapi/document';

const CANNOT: Readonly<Record<string, string>> = {
  rows_gone: 'The packet cannot be recomputed: the rows after the preceding checkpoint are no longer retained.',
  rows_incomplete: 'The packet cannot be recomputed: rows between the preceding checkpoint and its window are missing.',
  rows_awaited: 'The packet cannot be recomputed yet: the row that closed its window is not stored. Retry in a few seconds.',
  checkpoint_gone:
    'The packet cannot be recomputed: no preceding checkpoint is retained, and the retained rows do not reach back to the first one.',
  checkpoint_unusable: 'The packet cannot be recomputed: the preceding checkpoint is damaged or was written by another version.',
  other_policy: 'The packet cannot be recomputed here: it was made under a policy that is not the current one.',
};

function verifySentence(result: 'match' | 'mismatch' | 'cannot', reason: string): string {
  if (result === 'match') return 'Recomputed from the stored rows, the packet matches the stored one byte for byte.';
  if (result === 'mismatch')
    return (
      'Recomputed from the stored rows, the packet differs from the stored one: the rows, the checkpoint or ' + 'the packet were changed.'
    );
  return CANNOT[reason] ?? 'The packet cannot be recomputed.';
}

/** Slightly above labeling's own deadline. */
const DEADLINE_MS = 22_000;

const { VerifyEventResponse_Outcome: Outcome, VerifyEventResponse_Signature: Signature } = labeling;

const RESULTS: Readonly<Record<labeling.VerifyEventResponse_Outcome, 'match' | 'mismatch' | 'cannot'>> = {
  [Outcome.UNSPECIFIED]: 'cannot',
  [Outcome.MATCH]: 'match',
  [Outcome.MISMATCH]: 'mismatch',
  [Outcome.CANNOT]: 'cannot',
};

const SIGNATURES: Readonly<Record<labeling.VerifyEventResponse_Signature, 'valid' | 'invalid' | 'unknown_key' | 'unsigned'>> = {
  [Signature.UNSPECIFIED]: 'unsigned',
  [Signature.VALID]: 'valid',
  [Signature.INVALID]: 'invalid',
  [Signature.UNKNOWN_KEY]: 'unknown_key',
  [Signature.UNSIGNED]: 'unsigned',
};

const reasonNamed = documentedWord('EventVerification', 'cannot_reason');

export function verifyEvent({ packets, marketData, now }: ReadDeps): Handler<'verifyEvent'> {
  // Labeling runs two at a time for all tenants.
  const limitTenant = createTenantLimit('verifications');
  return async ({ operation, grant, input }) => {
    const eventId = input.path.event_id;
    const asOfMs = parseInstant(input.query.as_of) ?? 0;
    const request = { eventId, asOfMs };
    const [served, answer] = await Promise.all([
      servedSymbols(marketData),
      limitTenant(grant?.tenantId ?? '', () => verify(packets, request)),
    ]);
    if (answer.packet === undefined) throw noSuchEvent();
    const held = fromProtoPacket(answer.packet);
    const { packet } = held;
    const result = RESULTS[answer.outcome];
    const { checkpoint } = answer;
    const textOrNull = (text: string): string | null => (text === '' ? null : text);
    const fields = {
      event_id: eventId,
      packet_ref: toPacketRef(held),
      window_end_utc: toUtc(held.windowEndMs),
      result,
      match: result === 'cannot' ? null : result === 'match',
      cannot_reason: answer.reason === '' ? null : reasonNamed(answer.reason),
      retained_packet_digest: held.packetDigest,
      retained_body_digest: answer.retainedDigest,
      rederived_packet_digest: textOrNull(answer.rederivedDigest),
      retained_lineage_digest: held.lineageDigest,
      rederived_lineage_digest: textOrNull(answer.rederivedLineageDigest),
      retained_policy_digest: answer.packet.policyDigest,
      rederivation_policy_digest: answer.policyDigest,
      policy_versions: {
        labeling_policy_version: packet.labeling_policy_version,
        taxonomy_version: packet.taxonomy_version,
        calibration_version: packet.calibration_version,
        confidence_policy_version: packet.confidence_policy_version,
        compute_lane_policy_version: packet.compute_lane_policy_version,
        reason_template_version: packet.reason_template_version,
      },
      rows_read: answer.entryTotal,
      checkpoint:
        checkpoint === undefined
          ? null
          : { window_end_utc: toUtc(checkpoint.windowEndMs), ordinal: checkpoint.ordinal, state_digest: checkpoint.stateDigest },
      signature: SIGNATURES[answer.signature],
      different_fields: answer.differentFields,
      different_places: answer.differentPlaces,
      different_place_total: answer.differentPlaceTotal,
      altered_row_ordinals: answer.contradictingOrdinals,
    };
    const detail = verifySentence(result, answer.reason);
    return jsonRepresentation(
      storedAnswer({ operation, grant }, { symbol: held.symbol, served, asOfMs, nowMs: now(), detail, found: true }, fields),
    );
  };
}

/** @throws ServiceError `unknown_packet` if the id is unknown or malformed */
async function verify({ call }: PacketClient, request: labeling.VerifyEventRequest): Promise<labeling.VerifyEventResponse> {
  try {
    return await call.verifyEvent(request, { deadlineMs: DEADLINE_MS });
  } catch (error) {
    if (isServiceError(error, 'unknown_packet') || (isServiceError(error) && error.code === 'INVALID_ARGUMENT')) throw noSuchEvent();
    throw error;
  }
}
