import { openIdentity } from '@market-state/grpc';
import { createCloser, waitFor } from '@market-state/lifecycle';
import { createLogger, type Logger } from '@market-state/logging';
import { createPool, pingPostgres } from '@market-state/postgres';
import { createMetrics, startOpsServer } from '@market-state/telemetry';
import type { WebhookConfig } from './config';

/** A running process. */
export interface WebhookServer {
  readonly opsPort: number;
  close(): Promise<void>;
}

/** What tests replace. */
export interface WebhookOverrides {
  readonly clock?: () => number;
  readonly logger?: Logger;
}

/** Starts the process once its database answers; `signal` ends the wait. */
export async function startWebhook(config: WebhookConfig, overrides: WebhookOverrides = {}, signal?: AbortSignal): Promise<WebhookServer> {
  const logger = overrides.logger ?? createLogger('webhook', { level: config.logLevel });
  const metrics = createMetrics('webhook');
  const closer = createCloser();
  let isReady = false;
  try {
    const identity = openIdentity('webhook', config.rpc, { logger });
    closer.add('identity', async () => identity.close());
    const ops = await startOpsServer({
      port: config.opsPort,
      registry: metrics.registry,
      ready: () => ({ ready: isReady, checks: { postgres: isReady } }),
    });
    closer.add('ops server', () => ops.close());
    const pool = createPool({ url: config.databaseUrl, logger, applicationName: 'webhook' });
    closer.add('database', () => pool.end());
    await waitFor('postgres', () => pingPostgres(pool), { logger, signal });
    isReady = true;
    return { opsPort: ops.port, close: () => closer.close() };
  } catch (error) {
    await closer.close();
    throw error;
  }
}
