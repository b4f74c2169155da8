import type { RpcSettings } from '@market-state/config';
import {
  type BoundService,
  type CallerTable,
  type ClientOptions,
  createClient,
  createHealth,
  type GrpcClient,
  type Health,
  healthDefinition,
  openIdentity,
  type RpcIdentity,
  type ServiceMethods,
  startGrpcServer,
  WHOLE_PROCESS,
} from '@market-state/grpc';
import { type Closer, createCloser, repeatUntilClosed, waitFor } from '@market-state/lifecycle';
import { createLogger, type Logger, type LogLevel } from '@market-state/logging';
import { createPool, pingPostgres } from '@market-state/postgres';
import { createMetrics, type Metrics, type Readiness, startOpsServer } from '@market-state/telemetry';

type Pool = ReturnType<typeof createPool>;
type PoolOptions = Parameters<typeof createPool>[0];

const POSTGRES = 'postgres';
const PING_INTERVAL_MS = 1_000;

export interface ServiceSettings {
  readonly logLevel: LogLevel;
  readonly rpc: RpcSettings;
  /** 0 picks any free one. */
  readonly opsPort: number;
  /** Default loopback. */
  readonly opsHost?: string | undefined;
}

export interface BootOptions extends ServiceSettings {
  /** In logs, metrics and towards other services. */
  readonly name: string;
  /** Allowed callers, and idempotent methods. */
  readonly methodRules: { readonly callers: CallerTable; readonly idempotent: ReadonlySet<string> };
  /** Down until `service.health` reports otherwise. */
  readonly dependencies?: readonly string[];
  /** Default: one with this name and level. */
  readonly logger?: Logger | undefined;
  /** Sampling interval. */
  readonly lagEveryMs?: number;
  readonly signal?: AbortSignal | undefined;
}

/** In addition to service and addresses. */
type ClientSettings<D extends ServiceMethods> = Pick<ClientOptions<D>, 'deadlineMs' | 'unguarded'>;

export type OpenClient = <D extends ServiceMethods>(definition: D, settings?: ClientSettings<D>) => GrpcClient<D>;

/** Everything opened through it is closed with it, last opened first. */
export interface Service {
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly health: Health;
  readonly identity: RpcIdentity;
  readonly closer: Closer;
  readonly signal: AbortSignal | undefined;
  /** Any address can take any call. */
  clientsOf(to: string, address: string | readonly string[]): OpenClient;
  pool(options: Omit<PoolOptions, 'logger' | 'applicationName'> & { readonly applicationName?: string }): Pool;
  /** Then checks it every second as the dependency `postgres`. */
  waitForPostgres(pool: Pool): Promise<void>;
  /** Runs immediately and then at the interval; failures are logged. */
  repeat(name: string, intervalMs: number, work: (signal: AbortSignal) => Promise<unknown>): void;
  /** Default: ready when the process and all dependencies are. */
  reportReadiness(read: () => Readiness | Promise<Readiness>): void;
  /** Returns `host:port`. Call it last: it accepts calls immediately. */
  serve(server: {
    readonly address: string;
    readonly services: readonly BoundService[];
    readonly shutdownWaitMs?: number | undefined;
  }): Promise<string>;
}

export interface RunningService {
  readonly opsPort: number;
  close(): Promise<void>;
}

/** If `start` fails, closes everything opened so far and rethrows its error. */
export async function bootService<Started extends object>(
  options: BootOptions,
  start: (service: Service) => Promise<Started>,
): Promise<Started & RunningService> {
  const { name, methodRules, dependencies = [], signal, lagEveryMs } = options;
  const logger = options.logger ?? createLogger(name, { level: options.logLevel });
  const metrics = createMetrics(name, lagEveryMs === undefined ? {} : { lagEveryMs });
  const health = createHealth(dependencies);
  const closer = createCloser();
  const idempotent = new Set([...methodRules.idempotent, healthDefinition.check.path]);
  let readReadiness = (): Readiness | Promise<Readiness> => readinessOf(health, dependencies);
  try {
    const identity = openIdentity(name, options.rpc, { logger, metrics });
    closer.add('identity', async () => identity.close());
    const ops = await startOpsServer({
      port: options.opsPort,
      host: options.opsHost,
      registry: metrics.registry,
      ready: () => readReadiness(),
    });
    closer.add('ops server', () => ops.close());

    const service: Service = {
      logger,
      metrics,
      health,
      identity,
      closer,
      signal,
      clientsOf(to, address) {
        const peer = identity.to(to);
        return (definition, settings = {}) => {
          const client = createClient({ definition, address, peer, metrics, idempotent, ...settings });
          closer.add(`client of ${to}`, () => client.close());
          return client;
        };
      },
      pool(poolOptions) {
        const pool = createPool({ logger, applicationName: name, ...poolOptions });
        closer.add('database', () => pool.end());
        return pool;
      },
      async waitForPostgres(pool) {
        await waitFor(POSTGRES, () => pingPostgres(pool), { logger, signal });
        const beating = repeatUntilClosed(() => pingPostgres(pool).then(() => health.set(POSTGRES, true)), {
          intervalMs: PING_INTERVAL_MS,
          onError: () => health.set(POSTGRES, false),
        });
        closer.add('heartbeat', () => beating.close());
      },
      repeat(work, intervalMs, run) {
        const repeated = repeatUntilClosed(run, {
          intervalMs,
          onError: (error) => logger.warn({ err: error, work }, 'repeated work failed; it will run again'),
        });
        closer.add(work, () => repeated.close());
      },
      reportReadiness(read) {
        readReadiness = read;
      },
      async serve({ address, services, shutdownWaitMs }) {
        const server = await startGrpcServer({
          address,
          services: [...services],
          identity,
          callers: methodRules.callers,
          health,
          logger,
          metrics,
          ...(shutdownWaitMs !== undefined && { shutdownWaitMs }),
        });
        closer.add('grpc server', () => server.close());
        return server.address;
      },
    };
    const started = await start(service);
    if (health.get(WHOLE_PROCESS) === undefined) health.set(WHOLE_PROCESS, true);
    logger.info({ ...addressOf(started), ops_port: ops.port }, 'started');
    return { ...started, opsPort: ops.port, close: () => closer.close() };
  } catch (error) {
    await closer.close();
    throw error;
  }
}

function readinessOf(health: Health, dependencies: readonly string[]): Readiness {
  const checks = Object.fromEntries(dependencies.map((dependency) => [dependency, health.get(dependency) === true]));
  return { ready: health.get(WHOLE_PROCESS) === true && Object.values(checks).every(Boolean), checks };
}

function addressOf(started: object): { readonly address?: unknown } {
  return 'address' in started ? { address: started.address } : {};
}
