import { labeling, marketData, METHOD_RULES } from '@market-state/contracts';
import { WHOLE_PROCESS } from '@market-state/grpc';
import type { AddressResolver } from '@market-state/guarded-http';
import type { Logger } from '@market-state/logging';
import { bootService, type RunningService } from '@market-state/service';
import type { WebhookConfig } from './config';
import { createDeliveryNotifier } from './delivery/wake-ups';
import { createTargetCheck } from './endpoints/destination';
import { createSecrets } from './endpoints/secrets';
import { bindEndpointService, bindMessageService, bindSavedSearchService, bindWatchlistService } from './rpc/service';
import { maskStoredHooks } from './store/endpoints';
import { createInputDays } from './store/inputs';

export interface WebhookServer extends RunningService {
  /** `host:port` of the RPC server. */
  readonly address: string;
}

export interface WebhookOverrides {
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
