import { authStateOf, type Grant } from '../auth/grant';
import type { Operation } from '../openapi/operations';
import { buildMeta, type Meta } from '../meta/meta';

/** `meta` of what the service knows of itself and holds no market data: it is current, and no feed stands behind it. */
export function ownMeta(call: { readonly operation: Operation; readonly grant: Grant | null }, statusText: string, preview = false): Meta {
  const meta = buildMeta({
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
  return preview ? meta : { ...meta, response_semantics: { ...meta.response_semantics, response_state: 'live' } };
}
