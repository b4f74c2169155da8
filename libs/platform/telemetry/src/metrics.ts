import { collectDefaultMetrics, Counter, Histogram, Registry } from 'prom-client';

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

/** Creates a process's metrics. Own metrics are registered with `registers: [metrics.registry]`. */
export function createMetrics(service: string): Metrics {
  const registry = new Registry();
  registry.setDefaultLabels({ service });
  collectDefaultMetrics({ register: registry });
  const registers = [registry];
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
