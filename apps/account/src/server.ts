import { METHOD_RULES } from '@market-state/contracts';
import { waitFor } from '@market-state/lifecycle';
import { pingPostgres } from '@market-state/postgres';
import { bootService, type RunningService } from '@market-state/service';
import { startAccounts } from './accounts/start-accounts';
import type { AccountConfig } from './config';
import { type AccountDeps, type AccountOverrides, buildDeps } from './deps';
import { createBeat, startHeartbeat } from './keys/key-watch';
import { bindAccountService } from './rpc/accounts/service';
import { bindCreditService } from './rpc/credits/service';
import { bindBillingService } from './rpc/billing';
import { bindReadFiguresService } from './rpc/statistics';
import { bindIdempotencyService } from './rpc/idempotency';
import { bindOperatorService } from './rpc/operator';
import { bindOutboxService } from './rpc/outbox';
import { bindKeyService } from './rpc/keys/service';
import { bindShownReceiptService } from './rpc/receipts';
import { findExpiredKeys } from './store/keys';

export interface AccountServer extends RunningService {
  /** `host:port` of the RPC server. */
  readonly address: string;
}

/** Starts once the database answers; `signal` aborts the wait. */
export function startAccount(config: AccountConfig, overrides: AccountOverrides = {}, signal?: AbortSignal): Promise<AccountServer> {
  const options = {
    ...config,
    name: 'account',
    methodRules: METHOD_RULES,
    dependencies: ['postgres'],
    logger: overrides.logger,
    signal,
  };
  return bootService(options, async (service) => {
    const { logger, health, closer } = service;
    const deps = buildDeps(config, overrides, service);
    await waitFor('postgres', () => Promise.all([pingPostgres(deps.pool), deps.listener.catchUp()]), { logger, signal });
    const accounts = await startAccounts({ ...deps, config }, service);
    const beating = startHeartbeat(bindBeat(deps), (error) => {
      if (error !== undefined) logger.warn({ err: error }, 'no heartbeat: key changes are not being received');
      health.set('postgres', error === undefined);
    });
    closer.add('heartbeat', () => beating.close());
    const address = await service.serve({
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
      shutdownWaitMs: config.shutdownWaitMs,
    });
    return { address };
  });
}

function bindBeat({ watch, clock, listener, pool }: AccountDeps) {
  return createBeat({
    watch,
    clock,
    catchUp: () => listener.catchUp(),
    findExpired: (fromMs, toMs) => findExpiredKeys(pool, fromMs, toMs),
  });
}
