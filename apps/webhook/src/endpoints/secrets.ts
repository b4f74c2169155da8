import type { Queryable } from '@market-state/postgres';
import { newId } from '../ids';
import { insertSecret, retireSecrets } from '../store/secrets';

/** Old secrets of an endpoint that may sign along. */
const OLD_SECRETS_MAX = 2;

/** Makes secrets and gives them out once; what is stored is sealed. */
export interface Secrets {
  /** A new secret, which signs from now on. */
  add(on: Queryable, endpointId: string, nowMs: number): Promise<{ readonly secretId: string; readonly secret: string }>;
  /** The same; those before it sign along until `untilMs`, at most two of them. */
  rotate(
    on: Queryable,
    endpointId: string,
    span: { readonly nowMs: number; readonly untilMs: number },
  ): Promise<{ readonly secretId: string; readonly secret: string }>;
}
