import { createHash, createPublicKey, type KeyObject, verify } from 'node:crypto';
import type { labeling } from '@market-state/contracts';
import type { SymbolFinding } from './proof';

/** Packets of one symbol, newest first, as labeling keeps them. */
export interface KeptPackets {
  readonly symbol: string;
  readonly packets: readonly labeling.PacketRecord[];
}

/** Public keys by id. */
export type KeyRing = ReadonlyMap<string, KeyObject>;

export function keyRingOf(keys: readonly labeling.SigningKey[]): KeyRing {
  return new Map(
    keys.map(({ keyId, publicKey }) => [
      keyId,
      createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: Buffer.from(publicKey).toString('base64url') }, format: 'jwk' }),
    ]),
  );
}

function digestOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

function follows(packet: labeling.PacketRecord, before: labeling.PacketRecord): boolean {
  const link = createHash('sha256')
    .update(Buffer.from(before.lineageDigest, 'hex'))
    .update(Buffer.from(packet.packetDigest, 'hex'))
    .digest('hex');
  return packet.sequence === before.sequence + 1 && packet.lineageDigest === link;
}

function finding({ symbol, packets }: KeptPackets, broken: labeling.PacketRecord | undefined, good: string, bad: string): SymbolFinding {
  const span = { fromMs: packets.at(-1)?.windowEndMs ?? null, toMs: packets[0]?.windowEndMs ?? null, checkedTotal: packets.length };
  if (packets.length === 0) return { symbol, passed: true, detail: 'There is no packet to check yet.', ...span };
  return { symbol, passed: broken === undefined, detail: broken === undefined ? good : `${bad}: ${broken.packetId}.`, ...span };
}

/** Digest of every body, and the link of each packet to the one before it, computed again. */
export function checkChain(kept: KeptPackets): SymbolFinding {
  const { packets } = kept;
  const broken = packets.find((packet, index) => {
    const before = packets[index + 1];
    return digestOf(packet.body) !== packet.packetDigest || (before !== undefined && !follows(packet, before));
  });
  return finding(
    kept,
    broken,
    `${packets.length} packets in a row hash to their digests and link to the one before.`,
    'A digest or a link does not hold',
  );
}

/** Every signature, by the key that it names. A packet without one counts as unsigned. */
export function checkSignatures(kept: KeptPackets, keys: KeyRing): SymbolFinding {
  const signed = kept.packets.filter(({ signature }) => signature.length > 0);
  if (signed.length === 0)
    return {
      symbol: kept.symbol,
      passed: true,
      detail: 'None of the newest packets is signed.',
      fromMs: null,
      toMs: null,
      checkedTotal: 0,
    };
  const broken = signed.find(({ signature, signingKeyId, packetDigest }) => {
    const key = keys.get(signingKeyId);
    return key === undefined || !verify(null, Buffer.from(packetDigest, 'hex'), key, signature);
  });
  return finding(
    { symbol: kept.symbol, packets: signed },
    broken,
    `${signed.length} of ${kept.packets.length} packets are signed, each by a published key.`,
    'A signature does not hold',
  );
}

/** Whether the packets were made under the published policy. */
export function checkPolicy(kept: KeptPackets, policyDigest: string): SymbolFinding {
  const other = kept.packets.find((packet) => packet.policyDigest !== policyDigest);
  return finding(kept, other, `${kept.packets.length} packets name the digest of the published policy.`, 'A packet names another policy');
}
