import type { Queryable } from '@market-state/postgres';
import type { EndpointKind } from '../src/endpoints/destination';

export interface StoredEndpoint {
  readonly endpointId: string;
  readonly tenantId: string;
  /** Event kinds, each with a symbol after a space if it has one. */
  readonly topics: readonly string[];
  readonly planId?: string;
  readonly kind?: EndpointKind;
  readonly url?: string;
  readonly chatId?: string;
  readonly digestMinutes?: number;
  readonly confirmedMs?: number | null;
  readonly status?: string;
}

const DEFAULTS = {
  planId: 'builder',
  kind: 'webhook',
  url: 'https://hooks.example.com',
  chatId: '',
  digestMinutes: 0,
  confirmedMs: null,
  status: 'live',
} as const;

/** Inserts endpoints with their queues and topics, as the RPC process leaves them. */
export async function storeEndpoints(on: Queryable, ...endpoints: readonly StoredEndpoint[]): Promise<void> {
  const rows = endpoints.map((endpoint) => ({ ...DEFAULTS, ...endpoint }));
  await on.query(
    `WITH given AS (SELECT * FROM jsonb_to_recordset($1) AS given ("endpointId" text, "tenantId" text, "planId" text, kind endpoint_kind,
         url text, "chatId" text, "digestMinutes" int, "confirmedMs" bigint, status endpoint_status)),
       stored AS (INSERT INTO endpoint (endpoint_id, tenant_id, plan_id, operation_id, kind, url, chat_id, digest_minutes, confirmed_ms,
           description, event_kinds, symbols, status, disabled_reason, url_revision, failed_messages, created_ms, updated_ms)
         SELECT "endpointId", "tenantId", "planId", "endpointId", kind, url, "chatId", "digestMinutes", "confirmedMs", '', '[]', '[]', status,
           '', 1, 0, 0, 0 FROM given)
     INSERT INTO lane (endpoint_id, tenant_id, ring, slow, breaker, breaker_until_ms)
     SELECT "endpointId", "tenantId", 0, false, '{}', 0 FROM given`,
    [JSON.stringify(rows)],
  );
  const topics = rows.flatMap(({ endpointId, tenantId, topics: named }) =>
    named.map((topic) => {
      const [eventKind, symbol = ''] = topic.split(' ');
      return { endpointId, tenantId, eventKind, symbol };
    }),
  );
  await on.query(
    `INSERT INTO endpoint_topic (endpoint_id, tenant_id, event_kind, symbol) SELECT * FROM jsonb_to_recordset($1)
       AS topic ("endpointId" text, "tenantId" text, "eventKind" text, symbol text)`,
    [JSON.stringify(topics)],
  );
}
