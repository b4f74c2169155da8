import { ownMeta } from './own-meta';
import { jsonRepresentation, type Representation } from '../http/representation';
import type { CallContext } from '../handlers/handler';

/** An answer about accounts, keys or billing. `statusText` is one sentence. */
export function accountAnswer(call: Pick<CallContext, 'operation' | 'grant'>, fields: object, statusText: string): Representation {
  return jsonRepresentation({ ...fields, meta: ownMeta(call, statusText) });
}
