import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';

/** Seconds; from well under a millisecond to past every deadline. */
const DURATION_BUCKETS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/** The metrics of one process: its registry, with Node's own metrics and every series labelled with `service`. */
export interface Metrics {
  readonly registry: Registry;
  /** `grpc_server_handling_seconds{method,code}`. */
  readonly grpcServer: Histogram<'method' | 'code'>;
  /** `grpc_client_handling_seconds{method,code}`, retries included in one observation. */
  readonly grpcClient: Histogram<'method' | 'code'>;
  /** `grpc_client_breaker_opened_total{service}`: how often calls of a service began to be refused because too many had failed. */
  readonly grpcBreakerOpened: Counter<'service'>;
  /** `http_server_request_seconds{route,method,status}`; `route` is the route's template, never the path asked for. */
  readonly httpServer: Histogram<'route' | 'method' | 'status'>;
}

export interface MetricsOptions {
  /** How often the lag of the event loop is looked at, which wakes the process; its series count this time too. Default 100 ms. */
  readonly lagEveryMs?: number;
}

/** Default of `lagEveryMs`. */
const LAG_EVERY_MS = 100;

/** Node's own metrics by `lagEveryMs`. A set of them watches its process for as long as that lives. */
const ofNode = new Map<number, Registry>();

function nodeMetrics(lagEveryMs: number): Registry {
  const known = ofNode.get(lagEveryMs);
  if (known !== undefined) return known;
  const registry = new Registry();
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: lagEveryMs });
  ofNode.set(lagEveryMs, registry);
  return registry;
}

/**
 * `event_loop_delay_p99_seconds`: how much later than due the event loop came round, without the time between two looks that Node's own
 * series count. They are set by their first member, which stands before this one in every registry.
 */
function addEventLoopDelay(registry: Registry, lagEveryMs: number): void {
  new Gauge({
    name: 'event_loop_delay_p99_seconds',
    help: 'Delay of the event loop, 99th percentile since the metrics were last read.',
    registers: [registry],
    async collect() {
      const [lag] = (await registry.getSingleMetric('nodejs_eventloop_lag_p99_seconds')?.get())?.values ?? [];
      this.set(Math.max(0, (lag?.value ?? 0) - lagEveryMs / 1_000));
    },
  });
}

/** Creates a service's metrics, Node's own among them. Own metrics are registered with `registers: [metrics.registry]`. */
export function createMetrics(service: string, { lagEveryMs = LAG_EVERY_MS }: MetricsOptions = {}): Metrics {
  const registry = Registry.merge([nodeMetrics(lagEveryMs)]);
  registry.setDefaultLabels({ service });
  const registers = [registry];
  addEventLoopDelay(registry, lagEveryMs);
  return {
    registry,
    grpcServer: new Histogram({
      name: 'grpc_server_handling_seconds',
      help: 'Time from the arrival of a call to its answer.',
      labelNames: ['method', 'code'],
      buckets: DURATION_BUCKETS,
      registers,
    }),
    grpcClient: new Histogram({
      name: 'grpc_client_handling_seconds',
      help: 'Time of an outgoing call, with its retries.',
      labelNames: ['method', 'code'],
      buckets: DURATION_BUCKETS,
      registers,
    }),
    grpcBreakerOpened: new Counter({
      name: 'grpc_client_breaker_opened_total',
      help: 'Times that calls of a service began to be refused because too many had failed.',
      labelNames: ['service'],
      registers,
    }),
    httpServer: new Histogram({
      name: 'http_server_request_seconds',
      help: 'Time from the arrival of an HTTP request to the end of its answer.',
      labelNames: ['route', 'method', 'status'],
      buckets: DURATION_BUCKETS,
      registers,
    }),
  };
}
