import type { IdGenerator } from '@opentelemetry/sdk-trace';

/** The traces of this process, while they are made. */
export interface OpenTracing {
  /** Sends what waits, three seconds long at most, and makes no more. Never rejects. */
  close(): Promise<void>;
}

export interface TracingOptions {
  readonly service: string;
  /** Base address of a collector that takes OTLP over HTTP; undefined: no traces are made, and nothing is loaded for them. */
  readonly endpoint: string | undefined;
  /** Told that spans could not be sent, once a minute at most. */
  readonly onLost: (error: Error) => void;
  /** Ids of traces and spans; default random ones. */
  readonly ids?: IdGenerator;
}

const SAY_LOST_EVERY_MS = 60_000;
const NOTHING: OpenTracing = { close: async () => undefined };

/**
 * Makes the spans of this process be recorded and sent: one trace in a hundred, and of every other what failed. A collector that is away,
 * slow or hostile costs spans, and nothing else.
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
