import type { labeling } from '@market-state/contracts';
import { createTtlCache } from '../../caches/ttl-cache';
import type { PacketClient } from '../../clients/packet-client';
import { ownMeta } from '../../serving/answers/account-answer';
import type { Handler } from '../../serving/answers/handler';
import { jsonRepresentation, keptJson } from '../../serving/http/representation';
import { toUtc, toUtcOrNull } from '../../serving/meta/meta';
import { type Described, openApiDocument } from '../../serving/openapi/document';
import { operations } from '../../serving/openapi/operations';

/** Maximum delay until a replacement key shows here. */
const TTL_MS = 5_000;

/** Operations whose responses contain signed packets. */
const SIGNED_ANSWERS: ReadonlySet<string> = new Set(['getLatest', 'streamPackets', 'replayPackets']);

/** JWK as in RFC 8037, with its validity period. */
function toKey({ keyId, publicKey, validFromMs, validToMs }: labeling.SigningKey): Described<'SigningKey'> {
  return {
    kid: keyId,
    kty: 'OKP',
    crv: 'Ed25519',
    x: Buffer.from(publicKey).toString('base64url'),
    alg: 'EdDSA',
    use: 'sig',
    key_state: validToMs === 0 ? 'signing' : 'retired',
    valid_from_utc: toUtc(validFromMs),
    valid_to_utc: toUtcOrNull(validToMs),
  };
}

function signatureRule(): Described<'SigningKeys'>['signature'] {
  const routes = operations.filter(({ operationId }) => SIGNED_ANSWERS.has(operationId));
  return {
    algorithm: 'Ed25519',
    signed_bytes: 'The 32 bytes that packet_digest encodes in hex.',
    packet_digest: 'SHA-256 of the packet as RFC 8785 JSON in UTF-8.',
    encoding: 'base64',
    found_in: routes.map(({ path }) => path),
  };
}

function getSigningKeys(packets: PacketClient, now: () => number): Handler<'getSigningKeys'> {
  const cache = createTtlCache<labeling.ListSigningKeysResponse>({ ttlMs: TTL_MS, now });
  const signature = signatureRule();
  return async (call) => {
    const keys = (await cache.get('', () => packets.call.listSigningKeys({}))).keys.map(toKey);
    const current = keys.find(({ key_state: state }) => state === 'signing');
    const sentence =
      current === undefined ? 'Packets of this installation are currently not signed.' : `Packets are signed with ${current.kid}.`;
    return jsonRepresentation({
      keys,
      key_total: keys.length,
      signing_key_id: current?.kid ?? null,
      signature,
      meta: ownMeta(call, sentence),
    });
  };
}

let representation: ReturnType<typeof keptJson<typeof openApiDocument>> | undefined;

/** Serves identical bytes on each of its routes. */
function getOpenApi(): Handler<'getOpenapi'> {
  return () => (representation ??= keptJson(openApiDocument));
}

interface MetaDeps {
  readonly packets: PacketClient;
  readonly now: () => number;
}

export function metaHandlers({ packets, now }: MetaDeps) {
  const openApi = getOpenApi();
  return {
    getOpenapi: openApi,
    getMarketStateOpenapi: openApi,
    getDocsOpenapi: openApi,
    getSigningKeys: getSigningKeys(packets, now),
  };
}
