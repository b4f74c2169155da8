import { context, propagation, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { setGlobalErrorHandler, W3CTraceContextPropagator } from '@opentelemetry/core';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { BatchSpanProcessor, type IdGenerator, TracerProvider } from '@opentelemetry/sdk-trace';
import { setOpen } from '../head-decision';
import { createExporter } from './exporter';
import { createSampler } from './sampler';
import { createTailDecision } from './tail-decision';

/** Spans that wait to be sent; what comes beyond is left out. */
const WAITING_MAX = 2_048;
const BATCH_MAX = 512;
/** A batch that is not full waits so long for more, milliseconds. */
const BATCH_MS = 2_000;
/** A bound for what the exporter bounds itself, milliseconds. */
const EXPORT_MS_MAX = 5_000;
/** Of a text that a span carries. */
const TEXT_CHARACTERS_MAX = 256;
/** Attributes of a span. */
const ATTRIBUTES_MAX = 32;

/** What a process that sends traces says of itself and to whom. */
export interface OtlpOptions {
  readonly service: string;
  /** Base address of the collector. */
  readonly endpoint: string;
  /** Told why spans were lost, once for each batch. */
  readonly onLost: (error: Error) => void;
  /** Default random ones. */
  readonly ids?: IdGenerator;
}

/** Makes spans be recorded in this process and sends those that are to be sent. @returns what sends the rest and ends it */
export function startOtlp({ service, endpoint, onLost, ids }: OtlpOptions): () => Promise<void> {
  setGlobalErrorHandler((thrown) => onLost(thrown instanceof Error ? thrown : new Error('an unknown fault')));
  const batches = new BatchSpanProcessor({
    exporter: createExporter(`${endpoint.replace(/\/+$/, '')}/v1/traces`),
    maxQueueSize: WAITING_MAX,
    maxExportBatchSize: BATCH_MAX,
    scheduledDelayMillis: BATCH_MS,
    exportTimeoutMillis: EXPORT_MS_MAX,
  });
  const provider = new TracerProvider({
    resource: resourceFromAttributes({ 'service.name': service, 'service.namespace': 'market-state' }),
    sampler: createSampler(),
    spanProcessors: [createTailDecision(batches)],
    spanLimits: { attributeValueLengthLimit: TEXT_CHARACTERS_MAX, attributeCountLimit: ATTRIBUTES_MAX },
    idGenerator: ids,
  });
  trace.setGlobalTracerProvider(provider);
  propagation.setGlobalPropagator(new W3CTraceContextPropagator());
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  setOpen(true);
  return async () => {
    setOpen(false);
    trace.disable();
    propagation.disable();
    context.disable();
    await provider.shutdown();
  };
}
