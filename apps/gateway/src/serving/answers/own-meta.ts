import { authStateOf, type Grant } from '../auth/grant';
import type { Operation } from '../openapi/operations';
import { buildMeta, type Meta } from '../meta/meta';

/** `meta` of what the service knows of itself: it is current, and holds no market data, so it is never `live`. */
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
