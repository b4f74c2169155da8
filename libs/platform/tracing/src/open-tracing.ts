import type { IdGenerator } from '@opentelemetry/sdk-trace';

export interface OpenTracing {
  /** Flushes for at most three seconds and stops tracing. Never rejects. */
  close(): Promise<void>;
}

export interface TracingOptions {
  readonly service: string;
  /** Base URL of a collector that accepts OTLP over HTTP; undefined disables tracing and loads nothing. */
  readonly endpoint: string | undefined;
  /** Reports lost spans, at most once a minute. */
  readonly onLost: (error: Error) => void;
  readonly ids?: IdGenerator;
}

const SAY_LOST_EVERY_MS = 60_000;
const NOTHING: OpenTracing = { close: async () => undefined };

/**
 * Starts recording and sending spans: one in a hundred traces, and the failed parts of all others. A failing collector
 * only costs spans.
 */
export async function openTracing({ service, endpoint, onLost, ids }: TracingOptions): Promise<OpenTracing> {
  if (endpoint === undefined) return NOTHING;
  const { startOtlp } = await import('./otlp');
  let saidMs = -Infinity;
  const stop = startOtlp({
    service,
    endpoint,
    ids,
    onLost(error) {
      if (performance.now() - saidMs < SAY_LOST_EVERY_MS) return;
      saidMs = performance.now();
      onLost(error);
    },
  });
  return { close: () => stop().catch(() => undefined) };
}
