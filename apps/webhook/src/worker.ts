import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { account, METHOD_RULES } from '@market-state/contracts';
import { createSender, type SenderOptions } from '@market-state/guarded-http';
import type { Logger } from '@market-state/logging';
import { createMailTransport } from '@market-state/mail';
import { bootService, type RunningService } from '@market-state/service';
import type { WorkerConfig } from './config';
import { startWorkerLoop, searchDueQueues } from './delivery/attempts';
import { createDeliveryNotifier } from './delivery/wake-ups';
import { createLeaseCredits, type Credits } from './delivery/credits';
import { createDeliveryMetrics, WORKER_PACE, type WorkerDeps, type WorkerPace } from './delivery/worker-deps';
import { startMaintenance } from './delivery/run-maintenance';
import { createProcessSlots, createTenantQueue, SLOT_LIMITS } from './delivery/process-slots';
import { noteCharged } from './store/deliveries';

const CREDIT_DEADLINE_MS = 2_000;
const CONNECTIONS = 16;

export interface WorkerOverrides {
  readonly clock?: () => number;
  readonly logger?: Logger;
  readonly pace?: WorkerPace;
  readonly limits?: SenderOptions['limits'];
  readonly credits?: Credits;
}

export function startWebhookWorker(config: WorkerConfig, overrides: WorkerOverrides = {}, signal?: AbortSignal): Promise<RunningService> {
  const { clock = Date.now, pace = WORKER_PACE, limits } = overrides;
  const options = {
    ...config,
    name: 'webhook-worker',
    methodRules: METHOD_RULES,
    dependencies: ['postgres'],
    logger: overrides.logger,
    signal,
  };
  return bootService(options, async (service) => {
    const { logger, metrics, closer } = service;
    const worker = `worker_${randomUUID()}`;
    const pool = service.pool({ url: config.databaseUrl, max: CONNECTIONS });
    const notifier = createDeliveryNotifier(config.redisUrl, logger);
    closer.add('notifier', () => notifier.close());
    const toAccount = service.clientsOf('account', config.accountAddresses);
    const client = toAccount(account.CreditServiceService, { deadlineMs: CREDIT_DEADLINE_MS });
    const note = (deliveryIds: readonly string[]): void => {
      noteCharged(pool, deliveryIds).catch((error: unknown) =>
        logger.warn({ err: error }, 'marking charges failed; they will be repeated'),
      );
    };
    await service.waitForPostgres(pool);
    const credits = overrides.credits ?? createLeaseCredits({ worker, credits: client, onPosted: note, clock, logger, metrics });
    closer.add('credits', () => credits.close());
    const slots = createProcessSlots(SLOT_LIMITS, () => performance.now());
    const ca = config.testCaFile === undefined ? {} : { ca: readFileSync(config.testCaFile, 'utf8') };
    const sender = createSender({ targets: config.testTargets, ...ca, ...(limits && { limits }) });
    closer.add('connections', async () => sender.close());
    const mail = config.mail && createMailTransport(config.mail, clock);
    closer.add('mail', async () => mail?.close());
    const deps: WorkerDeps = {
      worker,
      pool,
      notifier,
      send: sender.send,
      mail,
      publicBaseUrl: config.publicBaseUrl,
      credits,
      slots,
      waitingTenants: createTenantQueue(),
      sealingKeys: config.sealingKeys,
      metrics: createDeliveryMetrics(metrics.registry, slots, sender),
      clock,
      random: Math.random,
      pace,
      logger,
    };
    const loop = startWorkerLoop(deps, config.redisUrl);
    closer.add('attempts', () => loop.close());
    const search = searchDueQueues(deps);
    closer.add('search', () => search.close());
    const maintenance = startMaintenance(deps);
    closer.add('maintenance', () => maintenance.close());
    return { worker };
  });
}
