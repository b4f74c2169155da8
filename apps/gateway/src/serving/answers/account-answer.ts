import { type Meta, buildMeta, textOrNull } from '../meta/meta';
import { jsonRepresentation, type Representation } from '../http/representation';
import type { CallContext } from './handler';
import { authStateOf, type Grant } from '../auth/credentials';
import type { Operation } from '../openapi/operations';

/** Account data is always current, and never `live`, which means market data. */
export function ownMeta(call: { readonly operation: Operation; readonly grant: Grant | null }, statusText: string, preview = false): Meta {
  return buildMeta({
    sourceKinds: [],
    freshness: 'fresh',
    availability: 'available',
    statusText,
    auth: authStateOf(call.grant),
    preview,
    requiresApiKey: call.operation.requiresApiKey,
    metered: call.operation.metered,
    sourceCurrentOnly: true,
  });
}

/** Rows of a page with its total and the cursor of the next page, which is empty after the last. */
export function rowsPage<Row>(rows: readonly Row[], nextCursor: string) {
  return { rows, row_total: rows.length, next_cursor: textOrNull(nextCursor) };
}

/** `statusText` is one sentence. */
export function accountAnswer<T extends object>(
  call: Pick<CallContext, 'operation' | 'grant'>,
  fields: T,
  statusText: string,
): Representation<T & { readonly meta: Meta }> {
  return jsonRepresentation({ ...fields, meta: ownMeta(call, statusText) });
}
