import type { labeling } from '@market-state/contracts';
import type { SigningKeyStore } from '../signing/signing-key-store';
import { toProtoSigningKey } from './wire';

export interface ListSigningKeysDeps {
  readonly signingKeys: Pick<SigningKeyStore, 'list'>;
}

export async function listSigningKeys({ signingKeys }: ListSigningKeysDeps): Promise<labeling.ListSigningKeysResponse> {
  return { keys: (await signingKeys.list()).map(toProtoSigningKey) };
}
