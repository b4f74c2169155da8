import { CALLERS } from '@market-state/contracts';
import { createHealth, type Health, openIdentity, startGrpcServer, WHOLE_PROCESS } from '@market-state/grpc';
import { createCloser, waitFor } from '@market-state/lifecycle';
import { createLogger } from '@market-state/logging';
import { pingPostgres } from '@market-state/postgres';
import { createMetrics, type Readiness, startOpsServer } from '@market-state/telemetry';
import { startAccounts } from './accounts/start-accounts';
import type { AccountConfig } from './config';
import { type AccountDeps, type AccountOverrides, buildDeps } from './deps';
import { createBeat, startHeartbeat } from './keys/key-watch';
import { bindAccountService } from './rpc/accounts/service';
import { bindCreditService } from './rpc/credits/service';
import { bindBillingService } from './rpc/billing';
import { bindReadFiguresService } from './rpc/figures';
import { bindIdempotencyService } from './rpc/idempotency';
import { bindOperatorService } from './rpc/operator';
import { bindOutboxService } from './rpc/outbox';
import { bindKeyService } from './rpc/keys/service';
import { bindShownReceiptService } from './rpc/receipts';
import { findExpiredKeys } from './store/keys';

/** A running account service. */
export interface AccountServer {
  /** `host:port` of its RPCs. */
  readonly address: string;
  readonly opsPort: number;
  close(): Promise<void>;
}

/** Starts the service once its database answers; `signal` ends the wait. */
export async function startAccount(config: AccountConfig, overrides: AccountOverrides = {}, signal?: AbortSignal): Promise<AccountServer> {
  const logger = overrides.logger ?? createLogger('account', { level: config.logLevel });
  const clock = overrides.clock ?? Date.now;
  const health = createHealth(['postgres']);
  const metrics = createMetrics('account');
  const closer = createCloser();
  try {
    const identity = openIdentity('account', config.rpc, { logger, metrics });
    closer.add('identity', async () => identity.close());
    const ops = await startOpsServer({
      port: config.opsPort,
      host: config.opsHost,
      registry: metrics.registry,
      ready: () => readinessOf(health),
    });
    closer.add('ops server', () => ops.close());
    const deps = buildDeps({ config, logger, registry: metrics.registry, clock, limits: overrides.limits }, closer);
    await waitFor('postgres', () => Promise.all([pingPostgres(deps.pool), deps.listener.catchUp()]), { logger, signal });
    const accounts = await startAccounts({ ...deps, config, registry: metrics.registry }, closer);
    const beating = startHeartbeat(bindBeat(deps), (error) => {
      if (error !== undefined) logger.warn({ err: error }, 'no heartbeat: key changes are not heard');
      health.set('postgres', error === undefined);
    });
    closer.add('heartbeat', () => beating.close());
    const grpc = await startGrpcServer({
      address: config.grpcAddress,
      services: [
        bindKeyService(deps),
        bindAccountService(accounts),
        bindCreditService(deps),
        bindIdempotencyService({ ...deps, seal: deps.answerSeal }),
        bindOperatorService(deps),
        bindOutboxService(deps),
        bindReadFiguresService(deps),
        bindShownReceiptService({ ...deps, shownTenant: config.shownTenant }),
        bindBillingService({ ...deps, ...config.billing, publicBaseUrl: config.publicBaseUrl }),
      ],
      identity,
      callers: CALLERS,
      health,
      logger,
      metrics,
      shutdownWaitMs: config.shutdownWaitMs,
    });
    closer.add('grpc server', () => grpc.close());
    logger.info({ address: grpc.address, ops_port: ops.port }, 'account service started');
    return { address: grpc.address, opsPort: ops.port, close: () => closer.close() };
  } catch (error) {
    await closer.close();
    throw error;
  }
}

function readinessOf(health: Health): Readiness {
  const postgres = health.get('postgres') === true;
  return { ready: postgres && health.get(WHOLE_PROCESS) === true, checks: { postgres } };
}

function bindBeat({ watch, clock, listener, pool }: AccountDeps) {
  return createBeat({
    watch,
    clock,
    catchUp: () => listener.catchUp(),
    findExpired: (fromMs, toMs) => findExpiredKeys(pool, fromMs, toMs),
  });
}
