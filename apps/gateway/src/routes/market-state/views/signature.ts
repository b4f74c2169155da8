import { toUtc, toUtcOrNull } from '../../../serving/meta/utc';
import type { PacketClient } from '../../../clients/packet-client';
import type { ServedPacket } from '../../../clients/served-packet';
import type { Described } from '../../../serving/openapi/described';

/** Who signed a packet, with the key to check it by; null where it is not signed. */
export async function readSignature(
  client: PacketClient,
  { signature, signingKeyId }: ServedPacket,
): Promise<Described<'PacketSignature'> | null> {
  if (signature === null || signingKeyId === null) return null;
  const { keys } = await client.call.listSigningKeys({});
  const key = keys.find(({ keyId }) => keyId === signingKeyId);
  return {
    algorithm: 'ed25519',
    signed: 'the 32 bytes of packet_digest',
    signature,
    signing_key_id: signingKeyId,
    public_key: key === undefined ? null : key.publicKey.toString('base64'),
    key_valid_from_utc: key === undefined ? null : toUtc(key.validFromMs),
    key_valid_to_utc: key === undefined ? null : toUtcOrNull(key.validToMs),
  };
}
