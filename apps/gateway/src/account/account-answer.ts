import { buildMeta } from '../http/meta';
import { jsonRepresentation, type Representation } from '../http/representation';
import type { Call } from '../routes/handler';
import { authStateOf } from '../auth/grant';

/** What the service knows of itself and holds no market data: it is current, and no feed stands behind it. */
export function accountMeta({ operation, grant }: Pick<Call, 'operation' | 'grant'>, statusText: string) {
  const meta = buildMeta({
    sourceKinds: [],
    freshness: 'fresh',
    availability: 'available',
    statusText,
    auth: authStateOf(grant),
    requiresApiKey: operation.requiresApiKey,
    metered: operation.metered,
    sourceCurrentOnly: true,
  });
  return { ...meta, response_semantics: { ...meta.response_semantics, response_state: 'live' } };
}

/** An answer about accounts, keys or billing. `statusText` is one sentence. */
export function accountAnswer(call: Pick<Call, 'operation' | 'grant'>, fields: object, statusText: string): Representation {
  return jsonRepresentation({ ...fields, meta: accountMeta(call, statusText) });
}
