import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';

/** Seconds, from below a millisecond to beyond every deadline. */
const DURATION_BUCKETS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/** Every series is labelled with `service`. */
export interface Metrics {
  readonly registry: Registry;
  /** `grpc_server_handling_seconds{method,code}`. */
  readonly grpcServer: Histogram<'method' | 'code'>;
  /** `grpc_client_handling_seconds{method,code}`; one observation includes retries. */
  readonly grpcClient: Histogram<'method' | 'code'>;
  /** `grpc_client_breaker_opened_total{service}`. */
  readonly grpcBreakerOpened: Counter<'service'>;
  /** `http_server_request_seconds{route,method,status}`; `route` is the template, never the requested path. */
  readonly httpServer: Histogram<'route' | 'method' | 'status'>;
}

export interface MetricsOptions {
  /**
   * Sampling interval of the event loop lag, which wakes the process and is included in Node's series. Default 100 ms.
   */
  readonly lagEveryMs?: number;
}

const LAG_EVERY_MS = 100;

/** Node's metrics by `lagEveryMs`, cached because each set observes the process for its lifetime. */
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
 * `event_loop_delay_p99_seconds`: event loop delay without the sampling interval. Computed from Node's series, which
 * precede this gauge in every registry.
 */
function addEventLoopDelay(registry: Registry, lagEveryMs: number): void {
  addGauge({ registry }, 'event_loop_delay_p99_seconds', 'Event loop delay, 99th percentile since the last scrape.', [], async (delay) => {
    const [lag] = (await registry.getSingleMetric('nodejs_eventloop_lag_p99_seconds')?.get())?.values ?? [];
    delay.set(Math.max(0, (lag?.value ?? 0) - lagEveryMs / 1_000));
  });
}

/** Adds a counter; without labels it starts at 0. */
export function addCounter<Label extends string = never>(
  { registry }: Pick<Metrics, 'registry'>,
  name: string,
  help: string,
  labelNames: readonly Label[] = [],
) {
  return new Counter<Label>({ name, help, labelNames, registers: [registry] });
}

/** Adds a gauge; without labels it starts at 0. `collect` sets its values at each scrape. */
export function addGauge<Label extends string = never>(
  { registry }: Pick<Metrics, 'registry'>,
  name: string,
  help: string,
  labelNames: readonly Label[] = [],
  collect?: (gauge: Gauge<Label>) => void | Promise<void>,
) {
  return new Gauge<Label>({
    name,
    help,
    labelNames,
    registers: [registry],
    ...(collect && {
      collect() {
        return collect(this);
      },
    }),
  });
}

/** Further ones come from `addCounter`, `addGauge`, or register themselves with `registers: [metrics.registry]`. */
export function createMetrics(service: string, { lagEveryMs = LAG_EVERY_MS }: MetricsOptions = {}): Metrics {
  const registry = Registry.merge([nodeMetrics(lagEveryMs)]);
  registry.setDefaultLabels({ service });
  const registers = [registry];
  addEventLoopDelay(registry, lagEveryMs);
  return {
    registry,
    grpcServer: new Histogram({
      name: 'grpc_server_handling_seconds',
      help: 'Duration of calls from arrival to response.',
      labelNames: ['method', 'code'],
      buckets: DURATION_BUCKETS,
      registers,
    }),
    grpcClient: new Histogram({
      name: 'grpc_client_handling_seconds',
      help: 'Duration of outgoing calls, including retries.',
      labelNames: ['method', 'code'],
      buckets: DURATION_BUCKETS,
      registers,
    }),
    grpcBreakerOpened: new Counter({
      name: 'grpc_client_breaker_opened_total',
      help: 'Circuit breaker openings by called service.',
      labelNames: ['service'],
      registers,
    }),
    httpServer: new Histogram({
      name: 'http_server_request_seconds',
      help: 'Duration of HTTP requests from arrival to the end of the response.',
      labelNames: ['route', 'method', 'status'],
      buckets: DURATION_BUCKETS,
      registers,
    }),
  };
}
