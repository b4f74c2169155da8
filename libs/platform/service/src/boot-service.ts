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

/** Name of the database in health and readiness. */
const POSTGRES = 'postgres';
const PING_INTERVAL_MS = 1_000;

/** Settings of every process. */
export interface ServiceSettings {
  readonly logLevel: LogLevel;
  /** Proof of identity between services. */
  readonly rpc: RpcSettings;
  /** Port of `/metrics`, `/livez` and `/readyz`; 0 picks any free one. */
  readonly opsPort: number;
  /** IP address of the ops server; default loopback. */
  readonly opsHost?: string | undefined;
}

export interface BootOptions extends ServiceSettings {
  /** Name in logs, metrics and towards other services. */
  readonly name: string;
  /** Rules for all services' methods: allowed callers, and idempotent methods. */
  readonly methodRules: { readonly callers: CallerTable; readonly idempotent: ReadonlySet<string> };
  /** Names in health and readiness, down until `service.health` reports otherwise. */
  readonly dependencies?: readonly string[];
  /** Default: a logger with this name and level. */
  readonly logger?: Logger | undefined;
  /** Interval of event-loop lag samples in milliseconds. */
  readonly lagEveryMs?: number;
  /** Ends the wait for dependencies. */
  readonly signal?: AbortSignal | undefined;
}

/** Client settings other than service and addresses. */
type ClientSettings<D extends ServiceMethods> = Pick<ClientOptions<D>, 'deadlineMs' | 'unguarded'>;

/** Opens a client of one service definition; closed with the process. */
export type OpenClient = <D extends ServiceMethods>(definition: D, settings?: ClientSettings<D>) => GrpcClient<D>;

/** A process under construction. Everything opened through it is closed with it, last opened first. */
export interface Service {
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly health: Health;
  readonly identity: RpcIdentity;
  readonly closer: Closer;
  /** Ends the wait for dependencies. */
  readonly signal: AbortSignal | undefined;
  /** Clients of service `to` at these addresses, any of which can take any call. */
  clientsOf(to: string, address: string | readonly string[]): OpenClient;
  /** Connection pool, closed with the process. */
  pool(options: Omit<PoolOptions, 'logger' | 'applicationName'> & { readonly applicationName?: string }): Pool;
  /** Waits for Postgres, then checks it every second and reports it as the dependency `postgres`. */
  waitForPostgres(pool: Pool): Promise<void>;
  /** Runs `work` immediately and every `intervalMs`; failures are logged and do not stop it. */
  repeat(name: string, intervalMs: number, work: (signal: AbortSignal) => Promise<unknown>): void;
  /** Replaces the readiness report; default: ready when the process and all dependencies are. */
  reportReadiness(read: () => Readiness | Promise<Readiness>): void;
  /** Starts the RPC server and returns its `host:port`. Call it last: it accepts calls immediately. */
  serve(server: {
    readonly address: string;
    readonly services: readonly BoundService[];
    /** Time between reporting not ready and refusing calls, in milliseconds. */
    readonly shutdownWaitMs?: number | undefined;
  }): Promise<string>;
}

/** A running process. */
export interface RunningService {
  readonly opsPort: number;
  close(): Promise<void>;
}

/**
 * Starts a process: opens logger, metrics, identity and ops server, then runs `start` for the rest. If `start` fails,
 * closes everything opened so far and rethrows its error.
 */
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
