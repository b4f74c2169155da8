import { account, exports, labeling, METHOD_RULES } from '@market-state/contracts';
import { type ClientCalls, followEach } from '@market-state/grpc';
import type { Logger } from '@market-state/logging';
import { bootService, type RunningService, type Service } from '@market-state/service';
import type { EvaluatorConfig } from './config';
import { createDeliveryNotifier } from './delivery/wake-ups';
import { createEvaluatorMetrics, type EvaluatorDeps } from './evaluation/evaluator-deps';
import { fanOut } from './evaluation/fan-out';
import { followSymbols } from './evaluation/evaluate-symbols';
import { outboxTaker } from './evaluation/take-outbox';
import { startedSymbols } from './store/evaluation';
import { createInputDays, keepInputDays } from './store/inputs';
import { countFanouts } from './store/messages';

const DEADLINE_MS = 10_000;
const LOOK_EVERY_MS = 5_000;
const TAKE_EVERY_MS = 1_000;
const MAINTENANCE_EVERY_MS = 600_000;

export interface EvaluatorOverrides {
  readonly clock?: () => number;
  readonly logger?: Logger;
}

export function startEvaluator(
  config: EvaluatorConfig,
  { clock = Date.now, logger }: EvaluatorOverrides = {},
  signal?: AbortSignal,
): Promise<RunningService> {
  return bootService(
    { ...config, name: 'webhook-evaluator', methodRules: METHOD_RULES, dependencies: ['postgres'], logger, signal },
    async (service) => {
      const pool = service.pool({ url: config.databaseUrl, max: 10 });
      const notifier = createDeliveryNotifier(config.redisUrl, service.logger);
      service.closer.add('notifier', () => notifier.close());
      const deadline = { deadlineMs: DEADLINE_MS };
      const deps: EvaluatorDeps = {
        packets: service.clientsOf('labeling', config.labelingAddresses)(labeling.LabelingServiceService, deadline),
        accountOutbox: service.clientsOf('account', config.accountAddresses)(account.OutboxServiceService, deadline),
        exportOutbox: service.clientsOf('export', config.exportAddresses)(exports.OutboxServiceService, deadline),
        pool,
        inputDays: createInputDays(pool, clock),
        notifier,
        metrics: createEvaluatorMetrics(service.metrics.registry),
        clock,
        logger: service.logger,
      };
      await service.waitForPostgres(pool);
      follow(deps, config, service);
      return {};
    },
  );
}

function follow(deps: EvaluatorDeps, { labelingAddresses }: EvaluatorConfig, { closer, identity, metrics, logger, repeat }: Service): void {
  const symbols = followSymbols(deps);
  closer.add('symbols', () => symbols.close());
  const named = new Set<string>();
  const stream = followEach({
    definition: labeling.LabelingServiceService,
    addresses: labelingAddresses,
    peer: identity.to('labeling'),
    metrics,
    open: (call: ClientCalls<labeling.LabelingServiceService>, signal: AbortSignal) => call.streamPackets({ symbols: [] }, { signal }),
    onUp: (from) => logger.info({ from }, 'packet stream connected'),
    onDown: (error, from) => logger.warn({ from, reason: error.reason, detail: error.detail }, 'packet stream disconnected'),
    onMessage({ message }) {
      if (message?.$case === 'packet') {
        named.add(message.value.symbol);
        symbols.push(message.value);
      } else if (message?.$case === 'heartbeat') {
        for (const symbol of message.value.symbols) named.add(symbol);
        symbols.wake(message.value.symbols);
      }
    },
  });
  closer.add('packet stream', () => stream.close());
  repeat('look', LOOK_EVERY_MS, async () => {
    const unnamed = (await startedSymbols(deps.pool)).filter((symbol) => !named.has(symbol));
    named.clear();
    symbols.wake(unnamed);
  });
  repeat('account outbox', TAKE_EVERY_MS, outboxTaker(deps, deps.accountOutbox.call));
  repeat('export outbox', TAKE_EVERY_MS, outboxTaker(deps, deps.exportOutbox.call));
  repeat('fan-out', TAKE_EVERY_MS, async () => {
    const waiting = await countFanouts(deps.pool);
    deps.metrics.fanouts(waiting);
    if (waiting === 0) return;
    while (await fanOut(deps));
    deps.metrics.fanouts(await countFanouts(deps.pool));
  });
  repeat('maintenance', MAINTENANCE_EVERY_MS, () => keepInputDays(deps));
}
