import { ownMeta } from './own-meta';
import type { Meta } from '../meta/meta';
import { jsonRepresentation, type Representation } from '../http/representation';
import type { CallContext } from '../handlers/handler';

/** An answer about accounts, keys or billing. `statusText` is one sentence. */
export function accountAnswer<T extends object>(
  call: Pick<CallContext, 'operation' | 'grant'>,
  fields: T,
  statusText: string,
): Representation<T & { readonly meta: Meta }> {
  return jsonRepresentation({ ...fields, meta: ownMeta(call, statusText) });
}
