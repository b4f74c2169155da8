import { randomBytes } from 'node:crypto';
import { sealSecret } from '@market-state/webhook-signing';
import type { EndpointKind } from '../../src/endpoints/destination';
import { newId } from '../../src/ids';
import { CREDENTIALS, startDestinationApis } from './destination-apis';
import { openDelivery, TENANT } from './delivery-under-test';
import { storeEndpoints } from '../stored-endpoint';

export const PORTAL = 'https://market-state.example';
const KINDS = ['alert.triggered', 'state.changed', 'endpoint.disabled', 'message.exhausted'];

export interface DestinationOptions {
  readonly digestMinutes?: number;
  readonly status?: 'test_pending' | 'live';
  readonly email?: string;
  readonly isConfirmed?: boolean;
  readonly credential?: string;
  readonly tenantId?: string;
}

/** Workers whose destinations are stand-ins of the APIs. */
export async function openDestinations(settings: Parameters<typeof openDelivery>[1] = {}) {
  const apis = await startDestinationApis();
  const delivery = await openDelivery(apis, { publicBaseUrl: PORTAL, ...settings });
  const { pool, keys } = delivery;
  const addresses: Readonly<Record<EndpointKind, readonly [url: string, credential: string]>> = {
    webhook: [apis.origin, ''],
    slack: [`${apis.origin}/services/T0123456/B0123456/…`, `${apis.origin}${CREDENTIALS.slack}`],
    discord: [`${apis.origin}/api/webhooks/1094862910712345678/…`, `${apis.origin}${CREDENTIALS.discord}`],
    telegram: [`${apis.origin}/`, CREDENTIALS.telegram],
    pagerduty: [`${apis.origin}/v2/enqueue`, CREDENTIALS.pagerduty],
    email: ['', ''],
  };

  return {
    ...delivery,
    get ledger() {
      return delivery.ledger;
    },
    apis,
    /** A live destination that subscribes to alerts, changes of state and notices about others. */
    async add(kind: EndpointKind, options: DestinationOptions = {}): Promise<string> {
      const { digestMinutes = 0, status = 'live', email, isConfirmed = true, tenantId = TENANT } = options;
      const [url, usual] = addresses[kind];
      const credential = options.credential ?? usual;
      const endpointId = newId('we');
      await storeEndpoints(pool, {
        endpointId,
        tenantId,
        kind,
        url: email === undefined ? url : `mailto:${email}`,
        chatId: kind === 'telegram' ? '-1001' : '',
        digestMinutes,
        confirmedMs: kind === 'email' && isConfirmed ? 1 : null,
        status,
        topics: KINDS,
      });
      if (credential !== '')
        await pool.query('INSERT INTO endpoint_secret (secret_id, endpoint_id, sealed, created_ms) VALUES ($1, $2, $3, 1)', [
          newId('whk'),
          endpointId,
          sealSecret(credential, { keys, endpointId, nonce: randomBytes(12) }),
        ]);
      return endpointId;
    },
    async receipts() {
      const { rows } = await pool.query<{ outcome: string; reason: string; snippet: string; next: string | null }>(
        'SELECT outcome, reason, snippet, next_attempt_ms AS next FROM attempt ORDER BY started_ms, number',
      );
      return rows;
    },
    async endpointOf(endpointId: string) {
      const { rows } = await pool.query<{ status: string; disabled_reason: string }>(
        'SELECT status, disabled_reason FROM endpoint WHERE endpoint_id = $1',
        [endpointId],
      );
      return rows[0];
    },
  };
}

export type DestinationsUnderTest = Awaited<ReturnType<typeof openDestinations>>;

/** Alert as the evaluator reports it. */
export function alertData(phase: 'triggered' | 'recovered' | 'ended', name = 'stress') {
  return {
    watchlist_id: 'wl_1',
    watchlist_name: name,
    rule_id: 'rul_1',
    phase,
    episode_id: 'ep_1',
    transition: 1,
    condition: {
      kind: 'severity_at_least',
      params: {},
      severity_class: 'high_context',
      severity_score: 0.823_456,
      at_least: 'elevated_context',
    },
    symbol: 'BTCUSD-PERP',
    packet_sequence: 2,
    window_end_utc: '2026-11-29T12:00:09.999Z',
    event_id: 'evt_1',
    replay_cursor: 'rc1.BTCUSD-PERP.1',
    gap_ids: [],
    late: false,
    synthetic: false,
  };
}
