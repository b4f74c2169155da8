import { webhook } from '@market-state/contracts';
import type { Endpoint, EndpointStatus } from '../../endpoints/endpoint';
import type { EndpointDeps } from '../../endpoints/endpoint-deps';
import { readStandings } from '../../store/endpoint-standings';
import { listSecrets } from '../../store/secrets';

const STATUSES: Readonly<Record<EndpointStatus, webhook.EndpointStatus>> = {
  test_pending: webhook.EndpointStatus.TEST_PENDING,
  live: webhook.EndpointStatus.LIVE,
  disabled: webhook.EndpointStatus.DISABLED,
};

type ShowDeps = Pick<EndpointDeps, 'pool' | 'targets' | 'clock'>;

/** Endpoints as they are shown: with what waits for them, and what is known of their secrets but the secrets. */
export async function showEndpoints({ pool, targets, clock }: ShowDeps, endpoints: readonly Endpoint[]): Promise<webhook.Endpoint[]> {
  const nowMs = clock();
  const ids = endpoints.map(({ endpointId }) => endpointId);
  const [secrets, standings] = await Promise.all([listSecrets(pool, ids, nowMs), readStandings(pool, ids)]);
  return endpoints.map((endpoint) => {
    const standing = standings.find(({ endpointId }) => endpointId === endpoint.endpointId);
    const breakerUntilMs = standing?.breakerUntilMs ?? 0;
    return {
      endpointId: endpoint.endpointId,
      url: endpoint.url,
      description: endpoint.description,
      eventKinds: [...endpoint.eventKinds],
      symbols: [...endpoint.symbols],
      status: STATUSES[endpoint.status],
      disabledReason: endpoint.disabledReason,
      createdMs: endpoint.createdMs,
      updatedMs: endpoint.updatedMs,
      secrets: secrets
        .filter(({ endpointId }) => endpointId === endpoint.endpointId)
        .map(({ secretId, createdMs, expiresMs }) => ({ secretId, createdMs, expiresMs: expiresMs ?? 0 })),
      lastSuccessMs: endpoint.lastSuccessMs ?? 0,
      failingSinceMs: endpoint.failingSinceMs ?? 0,
      waiting: standing?.waiting ?? 0,
      breakerOpenUntilMs: breakerUntilMs > nowMs ? breakerUntilMs : 0,
      testTarget: targets.isTestTarget(endpoint.url),
    };
  });
}

export async function showEndpoint(deps: ShowDeps, endpoint: Endpoint): Promise<webhook.Endpoint> {
  const [shown] = await showEndpoints(deps, [endpoint]);
  if (shown === undefined) throw new Error('an endpoint was not shown');
  return shown;
}
