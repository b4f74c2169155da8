import type { labeling } from '@market-state/contracts';
import { internal, isServiceError } from '@market-state/errors';
import type { Packet } from '@market-state/labeler';
import { WINDOW_MS } from '@market-state/market-data';
import { badgeChart, utc } from '@market-state/packet-figures';
import { type ShareState, shareRoutes, shareStateOf } from '../../clients/shares';
import type { Handler } from '../../serving/answers/handler';
import { keptText, jsonRepresentation } from '../../serving/http/representation';
import { EMBEDDED_SECURITY_HEADERS, NOT_CACHED, SECURITY_HEADERS } from '../../serving/http/send';
import { fromProtoSourceKind } from '../../clients/market-data-client';
import { buildMeta, originOf, toUtc, toUtcOrNull } from '../../serving/meta/meta';
import type { Described } from '../../serving/openapi/document';
import { operationById } from '../../serving/openapi/operations';
import type { Upstreams } from '../../clients/upstreams';

type ShareReaders = Pick<Upstreams, 'packets' | 'people'>;

interface ShareRead {
  readonly share: labeling.Share;
  readonly state: ShareState;
  /** Null while the share is active or withheld. */
  readonly endedMs: number | null;
  /** The state in one sentence. */
  readonly note: string;
  /** RFC 8785 JSON in UTF-8; null unless the share is active. */
  readonly body: Buffer | null;
}

/**
 * Read for every request, so that ending a share takes effect immediately. Shares of a disabled tenant are withheld.
 * @throws ServiceError `unknown_share`
 */
async function readShare(readers: ShareReaders, shareId: string): Promise<ShareRead> {
  const { share, tenantId, body } = await readers.packets.call.getShare({ shareId });
  if (share === undefined) throw internal({ detail: 'labeling returned no share' });
  const ownState = shareStateOf(share);
  const state = ownState === 'active' && (await isDisabled(readers, tenantId)) ? 'withheld' : ownState;
  const endedMs = state === 'revoked' ? share.revokedMs : state === 'expired' ? share.expiresMs : null;
  return { share, state, endedMs, note: noteOf(state, share), body: state === 'active' ? body : null };
}

async function isDisabled({ people }: ShareReaders, tenantId: string): Promise<boolean> {
  try {
    return (await people.call.getTenantStanding({ tenantId })).disabled;
  } catch (error) {
    if (isServiceError(error, 'unknown_tenant')) return true;
    throw error;
  }
}

function noteOf(state: ShareState, { expiresMs, revokedMs }: labeling.Share): string {
  switch (state) {
    case 'active':
      return `The packet is public until ${toUtc(expiresMs)}.`;
    case 'expired':
      return `The share expired at ${toUtc(expiresMs)}. The proof line remains available.`;
    case 'revoked':
      return `The share was revoked by its owner at ${toUtc(revokedMs)}. The proof line remains available.`;
    case 'withheld':
      return 'This installation is withholding the packet. The proof line remains available.';
  }
}

const CLAIM_BOUNDARY = 'not_signal_not_advice_not_execution_not_performance';

/** The proof line stays when the share has ended. The response does not identify the owner. */
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
    return { ...jsonRepresentation(answer), delivery: { cacheControl: NOT_CACHED, security: SECURITY_HEADERS } };
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
    signed: 'The 32 bytes that packet_digest encodes in hex.',
    signature: signature.toString('base64'),
    signing_key_id: signingKey.keyId,
    public_key: signingKey.publicKey.toString('base64'),
    key_valid_from_utc: toUtc(signingKey.validFromMs),
    key_valid_to_utc: toUtcOrNull(signingKey.validToMs),
  };
}

const NOT_SHOWN: Readonly<Record<Exclude<ShareState, 'active'>, string>> = {
  expired: 'share ended, proof available',
  revoked: 'share ended, proof available',
  withheld: 'withheld, proof available',
};

/** Third-party pages may embed the badge. It must not be cached, so that it ends with its share. */
export function getShareBadge(readers: ShareReaders): Handler<'getShareBadge'> {
  return async ({ input }) => {
    const { share, state } = await readShare(readers, input.path.share_id);
    const { symbol, windowEndMs } = share;
    const text = state === 'active' ? share.stateLabel : NOT_SHOWN[state];
    const svg = badgeChart({ state: state === 'active' ? share.state : null, text: `${text}, ${symbol} ${utc(windowEndMs)} UTC` });
    return {
      ...keptText(Buffer.from(svg), 'image/svg+xml'),
      delivery: { cacheControl: NOT_CACHED, security: EMBEDDED_SECURITY_HEADERS },
    };
  };
}
