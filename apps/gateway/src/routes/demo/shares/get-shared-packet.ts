import type { labeling } from '@market-state/contracts';
import type { Packet } from '@market-state/labeler';
import { WINDOW_MS } from '@market-state/market-data';
import { shareRoutes } from '../../../clients/shares';
import { fromProtoSourceKind } from '../../../clients/source-kind';
import type { Handler } from '../../../serving/answers/handler';
import { jsonRepresentation } from '../../../serving/http/representation';
import { buildMeta, originOf } from '../../../serving/meta/meta';
import { toUtc, toUtcOrNull } from '../../../serving/meta/instant';
import type { Described } from '../../../serving/openapi/described';
import { operationById } from '../../../serving/openapi/operations';
import { readShare, type ShareReaders } from './read-share';

const CLAIM_BOUNDARY = 'not_signal_not_advice_not_execution_not_performance';

/** The packet of a share while it is active, and its proof line in any case. Nothing in it says whose the share is. */
export function getSharedPacket(readers: ShareReaders): Handler<'getSharedPacket'> {
  return async ({ input, operation }) => {
    const { share, state, endedMs, note, body } = await readShare(readers, input.path.share_id);
    const kind = fromProtoSourceKind(share.sourceKind);
    const { page, badge } = shareRoutes(share.shareId);
    const answer: Described<'SharedPacket'> = {
      share_id: share.shareId,
      share_state: state,
      share_note: note,
      as_of_utc: toUtc(share.windowEndMs),
      created_at_utc: toUtc(share.createdMs),
      expires_at_utc: toUtc(share.expiresMs),
      ended_at_utc: endedMs === null ? null : toUtc(endedMs),
      symbol: share.symbol,
      source: { kind, detail: `From ${originOf([kind])}.` },
      proof: proofLine(share),
      packet: body === null ? null : (JSON.parse(body.toString('utf8')) as Packet),
      claim_boundary: CLAIM_BOUNDARY,
      not_a_signal: true,
      routes: { page, badge, signing_keys: operationById('getSigningKeys').path },
      meta: buildMeta({
        sourceKinds: [kind],
        freshness: 'stale',
        availability: body === null ? 'partial' : 'available',
        statusText: `From ${originOf([kind])}. ${note}`,
        auth: 'pre_key_public',
        requiresApiKey: operation.requiresApiKey,
        metered: operation.metered,
        sourceCurrentOnly: false,
      }),
    };
    return jsonRepresentation(answer);
  };
}

function proofLine(share: labeling.Share): Described<'ProofLine'> {
  return {
    event_id: share.eventId,
    packet_id: share.packetId,
    symbol: share.symbol,
    window_start_utc: toUtc(share.windowEndMs - WINDOW_MS),
    window_end_utc: toUtc(share.windowEndMs),
    packet_digest: share.packetDigest,
    lineage_digest: share.lineageDigest,
    input_digest: share.inputDigest,
    policy_digest: share.policyDigest,
    packet_generated_at_utc: toUtc(share.generatedTsMs),
    signature: signatureOf(share),
  };
}

function signatureOf({ signature, signingKey }: labeling.Share): Described<'PacketSignature'> | null {
  if (signature.length === 0 || signingKey === undefined) return null;
  return {
    algorithm: 'ed25519',
    signed: 'The 32 bytes that packet_digest names in hex.',
    signature: signature.toString('base64'),
    signing_key_id: signingKey.keyId,
    public_key: signingKey.publicKey.toString('base64'),
    key_valid_from_utc: toUtc(signingKey.validFromMs),
    key_valid_to_utc: toUtcOrNull(signingKey.validToMs),
  };
}
