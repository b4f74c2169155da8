import type { SigningKey } from './signing-key';

/** The registry of every key that packets were ever signed with. */
export interface SigningKeyStore {
  /** Enters a key as the one that signs from `atMs` on, and ends every other. Entered again it stays as it was. */
  register(key: Pick<SigningKey, 'keyId' | 'publicKey'>, atMs: number): Promise<void>;
  /** Oldest first. */
  list(): Promise<SigningKey[]>;
}
