/** A public key that packets are signed with. Times are milliseconds since the epoch on the wall clock. */
export interface SigningKey {
  readonly keyId: string;
  /** The 32 bytes of the Ed25519 public key. */
  readonly publicKey: Uint8Array;
  /** When it was first used. */
  readonly validFromMs: number;
  /** When another key took its place; null while it signs. */
  readonly validToMs: number | null;
}
