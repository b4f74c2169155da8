import { account, exports, IDEMPOTENT, labeling } from '@market-state/contracts';
import { type ClientCalls, createClient, followEach, openIdentity, type RpcIdentity } from '@market-state/grpc';
import { type Closer, createCloser, repeatUntilClosed, waitFor } from '@market-state/lifecycle';
import { createLogger, type Logger } from '@market-state/logging';
import { createPool, pingPostgres } from '@market-state/postgres';
import { createMetrics, type Metrics, startOpsServer } from '@market-state/telemetry';
import type { EvaluatorConfig } from './config';
import type { EvaluatorDeps } from './evaluation/evaluator-deps';
import { createEvaluatorMetrics } from './evaluation/evaluator-metrics';
import { fanOut } from './evaluation/fan-out';
import { followSymbols } from './evaluation/follow-symbols';
import { keepInputDays } from './evaluation/keep-input-days';
import { createBell } from './lanes/bell';
import { outboxTaker } from './sources/take-outbox';
import { begunSymbols } from './store/evaluation';
import { countFanouts } from './store/fanouts';
import { createInputDays } from './store/input-days';

const DEADLINE_MS = 10_000;
const LOOK_EVERY_MS = 5_000;
const TAKE_EVERY_MS = 1_000;
const UPKEEP_EVERY_MS = 600_000;

/** A running evaluator. */
export interface Evaluator {
  readonly opsPort: number;
  close(): Promise<void>;
}

/** What tests replace. */
export interface EvaluatorOverrides {
  readonly clock?: () => number;
  readonly logger?: Logger;
}

/** Starts an evaluator once its database answers; `signal` ends the wait. */
export async function startEvaluator(
  config: EvaluatorConfig,
  overrides: EvaluatorOverrides = {},
  signal?: AbortSignal,
): Promise<Evaluator> {
  const logger = overrides.logger ?? createLogger('webhook-evaluator', { level: config.logLevel });
  const metrics = createMetrics('webhook-evaluator');
  const closer = createCloser();
  let isReady = false;
  try {
    const identity = openIdentity('webhook-evaluator', config.rpc, { logger, metrics });
    closer.add('identity', async () => identity.close());
    const ops = await startOpsServer({
      port: config.opsPort,
      host: config.opsHost,
      registry: metrics.registry,
      ready: () => ({ ready: isReady, checks: { postgres: isReady } }),
    });
    closer.add('ops server', () => ops.close());
    const pool = createPool({ url: config.databaseUrl, logger, applicationName: 'webhook-evaluator', max: 10 });
    closer.add('database', () => pool.end());
    const bell = createBell(config.redisUrl, logger);
    closer.add('bell', () => bell.close());
    const clock = overrides.clock ?? Date.now;
    const deps: EvaluatorDeps = {
      ...openUpstreams(config, identity, metrics, closer),
      pool,
      inputDays: createInputDays(pool, clock),
      bell,
      metrics: createEvaluatorMetrics(metrics.registry),
      clock,
      logger,
    };
    await waitFor('postgres', () => pingPostgres(pool), { logger, signal });
    follow(deps, packetPushes(config, identity, metrics), closer);
    isReady = true;
    logger.info({ ops_port: ops.port }, 'evaluator started');
    return { opsPort: ops.port, close: () => closer.close() };
  } catch (error) {
    await closer.close();
    throw error;
  }
}

/** Looks at packets as they come, makes the messages of what happened elsewhere, and keeps the days of inputs. */
function follow(deps: EvaluatorDeps, pushes: ReturnType<typeof packetPushes>, closer: Closer): void {
  const { logger } = deps;
  const symbols = followSymbols(deps);
  closer.add('symbols', () => symbols.close());
  /** Symbols that the stream named since the last look. */
  const named = new Set<string>();
  const wakeNamed = (those: readonly string[]): void => {
    for (const symbol of those) named.add(symbol);
    symbols.wake(those);
  };
  const stream = followEach({
    ...pushes,
    onUp: (from) => logger.info({ from }, 'packets are pushed'),
    onDown: (error, from) => logger.warn({ from, reason: error.reason, detail: error.detail }, 'packets are not pushed'),
    onMessage({ message }) {
      if (message?.$case === 'packet') wakeNamed([message.value.symbol]);
      if (message?.$case === 'heartbeat') wakeNamed(message.value.symbols);
    },
  });
  closer.add('packet stream', () => stream.close());
  const each = (name: string, intervalMs: number, work: () => Promise<unknown>): void => {
    const repeated = repeatUntilClosed(work, {
      intervalMs,
      onError: (error) => logger.warn({ err: error, work: name }, 'will be tried again'),
    });
    closer.add(name, () => repeated.close());
  };
  each('look', LOOK_EVERY_MS, async () => {
    const unnamed = (await begunSymbols(deps.pool)).filter((symbol) => !named.has(symbol));
    named.clear();
    symbols.wake(unnamed);
  });
  each('account outbox', TAKE_EVERY_MS, outboxTaker(deps, deps.accountOutbox.call));
  each('export outbox', TAKE_EVERY_MS, outboxTaker(deps, deps.exportOutbox.call));
  each('fan-out', TAKE_EVERY_MS, async () => {
    const waiting = await countFanouts(deps.pool);
    deps.metrics.fanouts(waiting);
    if (waiting === 0) return;
    while (await fanOut(deps));
    deps.metrics.fanouts(await countFanouts(deps.pool));
  });
  each('upkeep', UPKEEP_EVERY_MS, () => keepInputDays(deps));
}

/** A stream from every process of labeling. */
function packetPushes({ labelingAddresses: addresses }: EvaluatorConfig, identity: RpcIdentity, metrics: Metrics) {
  return {
    definition: labeling.LabelingServiceService,
    addresses,
    peer: identity.to('labeling'),
    metrics,
    open: (call: ClientCalls<labeling.LabelingServiceService>, signal: AbortSignal) => call.streamPackets({ symbols: [] }, { signal }),
  };
}

function openUpstreams(config: EvaluatorConfig, identity: RpcIdentity, metrics: Metrics, closer: Closer) {
  const shared = { metrics, idempotent: IDEMPOTENT, deadlineMs: DEADLINE_MS };
  const packets = createClient({
    ...shared,
    definition: labeling.LabelingServiceService,
    address: config.labelingAddresses,
    peer: identity.to('labeling'),
  });
  closer.add('labeling client', () => packets.close());
  const accountOutbox = createClient({
    ...shared,
    definition: account.OutboxServiceService,
    address: config.accountAddresses,
    peer: identity.to('account'),
  });
  closer.add('account client', () => accountOutbox.close());
  const exportOutbox = createClient({
    ...shared,
    definition: exports.OutboxServiceService,
    address: config.exportAddresses,
    peer: identity.to('export'),
  });
  closer.add('export client', () => exportOutbox.close());
  return { packets, accountOutbox, exportOutbox };
}
