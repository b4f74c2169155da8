import { labeling, marketData, METHOD_RULES, webhook } from '@market-state/contracts';
import { WHOLE_PROCESS, bindService, type BoundService, withDeps } from '@market-state/grpc';
import type { AddressResolver } from '@market-state/guarded-http';
import type { Logger } from '@market-state/logging';
import { bootService, type RunningService } from '@market-state/service';
import { orUnavailable } from '@market-state/postgres';
import type { WebhookConfig } from './config';
import { createDeliveryNotifier } from './delivery/wake-ups';
import { createTargetCheck } from './endpoints/destination';
import { createSecrets } from './endpoints/secrets';
import { maskStoredHooks } from './store/endpoints';
import { createInputDays } from './store/inputs';
import type { EndpointDeps } from './endpoints/endpoint';
import type { WatchlistDeps } from './watchlists/watchlist';
import { confirmEndpoint, unsubscribeEndpoint } from './rpc/email-endpoints';
import { createEndpoint, deleteEndpoint, getEndpoint, listEndpoints, resealSecrets, rotateSecret } from './rpc/endpoints';
import { getMessage, listAttempts, listMessages, resendMessage } from './rpc/messages';
import { rehearse } from './rpc/rehearse';
import {
  createSavedSearch,
  deleteSavedSearch,
  getSavedSearch,
  listSavedSearches,
  type SearchDeps,
  updateSavedSearch,
} from './rpc/searches';
import { getTask, recover, replayMissing } from './rpc/tasks';
import { testEndpoint } from './rpc/test-endpoint';
import { enableEndpoint, updateEndpoint } from './rpc/update-endpoint';
import { createWatchlist, deleteWatchlist, getWatchlist, listWatchlists, updateWatchlist } from './rpc/watchlists';

interface WebhookServer extends RunningService {
  /** `host:port` of the RPC server. */
  readonly address: string;
}

interface WebhookOverrides {
  readonly clock?: () => number;
  readonly logger?: Logger;
  readonly resolver?: AddressResolver;
}

export function startWebhook(config: WebhookConfig, overrides: WebhookOverrides = {}, signal?: AbortSignal): Promise<WebhookServer> {
  const { clock = Date.now, logger, resolver } = overrides;
  return bootService(
    { ...config, name: 'webhook', methodRules: METHOD_RULES, dependencies: ['postgres'], logger, signal },
    async (service) => {
      const { health, closer } = service;
      const pool = service.pool({ url: config.databaseUrl });
      const notifier = createDeliveryNotifier(config.redisUrl, service.logger);
      closer.add('notifier', () => notifier.close());
      service.reportReadiness(() => {
        const postgres = health.get('postgres') === true;
        const warnings = config.testTargets.length > 0 ? ['test_target'] : [];
        return { ready: postgres && health.get(WHOLE_PROCESS) === true, checks: { postgres }, warnings };
      });
      await service.waitForPostgres(pool);
      await maskStoredHooks(pool);
      const stopping = new AbortController();
      const deps = {
        packets: service.clientsOf('labeling', config.labelingAddresses)(labeling.LabelingServiceService),
        marketData: service.clientsOf('data-plane', config.dataPlaneAddresses)(marketData.MarketDataServiceService),
        pool,
        inputDays: createInputDays(pool, clock),
        notifier,
        secrets: createSecrets(config.sealingKeys),
        sealingKeys: config.sealingKeys,
        targets: createTargetCheck(config.testTargets, resolver),
        clock,
        logger: service.logger,
        stopping: stopping.signal,
      };
      const address = await service.serve({
        address: config.grpcAddress,
        services: [bindEndpointService(deps), bindMessageService(deps), bindWatchlistService(deps), bindSavedSearchService(deps)],
        shutdownWaitMs: config.shutdownWaitMs,
      });
      closer.add('long polls', async () => stopping.abort());
      return { address };
    },
  );
}

function bindEndpointService(deps: EndpointDeps): BoundService {
  const handlers = {
    createEndpoint,
    getEndpoint,
    listEndpoints,
    updateEndpoint,
    deleteEndpoint,
    testEndpoint,
    confirmEndpoint,
    unsubscribeEndpoint,
    rotateSecret,
    resealSecrets,
    enableEndpoint,
    recover,
    replayMissing,
    getTask,
  };
  return bindService(webhook.EndpointServiceService, withDeps(deps, handlers), orUnavailable('webhook'));
}

function bindMessageService(deps: EndpointDeps): BoundService {
  const handlers = { listMessages, getMessage, resendMessage, listAttempts };
  return bindService(webhook.MessageServiceService, withDeps(deps, handlers), orUnavailable('webhook'));
}

function bindWatchlistService(deps: WatchlistDeps): BoundService {
  const handlers = { createWatchlist, getWatchlist, listWatchlists, updateWatchlist, deleteWatchlist, rehearse };
  return bindService(webhook.WatchlistServiceService, withDeps(deps, handlers), orUnavailable('webhook'));
}

function bindSavedSearchService(deps: SearchDeps): BoundService {
  const handlers = { createSavedSearch, getSavedSearch, listSavedSearches, updateSavedSearch, deleteSavedSearch };
  return bindService(webhook.SavedSearchServiceService, withDeps(deps, handlers), orUnavailable('webhook'));
}
