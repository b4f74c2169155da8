import { isSignedBy, type SigningKey } from '../packet-row/signing-key';
import type { RetainedPacket } from './retained';

/** How the signatures of the retained packets fared. */
export interface SignatureCount {
  readonly valid: number;
  /** Signed, by a key that was not given. */
  readonly unknownKey: number;
  readonly invalid: number;
  readonly unsigned: number;
  /** Window ends of the first that is invalid or of an unknown key; null when there is none. */
  readonly firstFaultMs: number | null;
}

/** Checks signatures over the digests that stand on the rows. */
export class SignatureTally {
  private readonly totals = { valid: 0, unknownKey: 0, invalid: 0, unsigned: 0 };
  private firstFaultMs: number | null = null;

  /** @param keys by id */
  constructor(private readonly keys: ReadonlyMap<string, SigningKey>) {}

  async take(packet: RetainedPacket): Promise<void> {
    const outcome = await signatureOutcome(packet, this.keys);
    this.totals[outcome]++;
    if (outcome === 'invalid' || outcome === 'unknownKey') this.firstFaultMs ??= packet.windowEndMs;
  }

  count(): SignatureCount {
    return { ...this.totals, firstFaultMs: this.firstFaultMs };
  }
}

/** How the signature of one packet fares, over the digest that stands on its row. */
export type SignatureOutcome = 'valid' | 'unknownKey' | 'invalid' | 'unsigned';

/** @param keys by id */
export async function signatureOutcome(
  { signature, signingKeyId, packetDigest }: Pick<RetainedPacket, 'signature' | 'signingKeyId' | 'packetDigest'>,
  keys: ReadonlyMap<string, SigningKey>,
): Promise<SignatureOutcome> {
  if (signature === null || signingKeyId === null) return signature === signingKeyId ? 'unsigned' : 'invalid';
  const key = keys.get(signingKeyId);
  if (key === undefined) return 'unknownKey';
  return (await isSignedBy(key, packetDigest, signature)) ? 'valid' : 'invalid';
}
