import type { labeling } from '@market-state/contracts';
import { toUtc, toUtcOrNull } from '../../../serving/meta/instant';
import { keptFor } from '../../../clients/stretch-cache';
import type { PacketClient } from '../../../clients/packet-client';
import type { ServedPacket } from '../../../clients/served-packet';
import type { Described } from '../../../serving/openapi/described';

/** The end of a key that is replaced is told so much later at most, milliseconds. */
const KEPT_MS = 5_000;

/** Who signed a packet, with the key to check it by; null where it is not signed. */
export function signatureReader({ call }: PacketClient, now: () => number) {
  const list = () => call.listSigningKeys({});
  const kept = keptFor(KEPT_MS, now, list);

  /** A key that signs since the list was read is looked for in a new one. */
  async function keyOf(signingKeyId: string): Promise<labeling.SigningKey | undefined> {
    const named = ({ keyId }: labeling.SigningKey): boolean => keyId === signingKeyId;
    return (await kept()).keys.find(named) ?? (await list()).keys.find(named);
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
