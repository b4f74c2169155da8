import { context, type Context, propagation, SpanStatusCode, trace, TraceFlags } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { ExportResultCode, setGlobalErrorHandler, W3CTraceContextPropagator } from '@opentelemetry/core';
import { JsonTraceSerializer } from '@opentelemetry/otlp-transformer';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  BatchSpanProcessor,
  type IdGenerator,
  ParentBasedSampler,
  type ReadableSpan,
  type Sampler,
  SamplingDecision,
  type Span,
  type SpanExporter,
  type SpanProcessor,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import { isChosen, SAMPLED_SHARE, setOpen } from './spans';

/** Further ones are dropped. */
const WAITING_MAX = 2_048;
const BATCH_MAX = 512;
const BATCH_MS = 2_000;
const EXPORT_MS_MAX = 5_000;
const TEXT_CHARACTERS_MAX = 256;
const ATTRIBUTES_MAX = 32;

export interface OtlpOptions {
  readonly service: string;
  readonly endpoint: string;
  readonly onLost: (error: Error) => void;
  readonly ids?: IdGenerator;
}

/** Returns a function that flushes and stops. */
export function startOtlp({ service, endpoint, onLost, ids }: OtlpOptions): () => Promise<void> {
  setGlobalErrorHandler((thrown) => onLost(thrown instanceof Error ? thrown : new Error('an unknown error')));
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

/** From the first byte sent to the response headers. */
const ANSWER_MS_MAX = 3_000;

/**
 * Sends each batch once by OTLP over HTTP, in time or not at all. Only the response status is read.
 * @param url traces URL of the collector
 */
function createExporter(url: string): SpanExporter {
  async function send(spans: ReadableSpan[]): Promise<void> {
    const body = new TextDecoder().decode(JsonTraceSerializer.serializeRequest(spans));
    const headers = { 'content-type': 'application/json' };
    const over = new AbortController();
    const timer = setTimeout(() => over.abort(new Error('the collector did not answer in time')), ANSWER_MS_MAX);
    try {
      const answer = await fetch(url, { method: 'POST', headers, body, redirect: 'error', signal: over.signal });
      await answer.body?.cancel();
      if (!answer.ok) throw new Error(`the collector answered ${answer.status}`);
    } finally {
      clearTimeout(timer);
    }
  }
  return {
    export(spans, done) {
      send(spans).then(
        () => done({ code: ExportResultCode.SUCCESS }),
        (error: Error) => done({ code: ExportResultCode.FAILED, error }),
      );
    },
    async shutdown() {},
  };
}

const { RECORD, RECORD_AND_SAMPLED, NOT_RECORD } = SamplingDecision;

/**
 * Head decision: by trace id for root spans, else by the caller. All spans are recorded, because failures are known
 * only at their end.
 */
function createSampler(): Sampler {
  const head = new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(SAMPLED_SHARE) });
  return {
    shouldSample(active, ...rest) {
      if (isChosen(active)) return { decision: RECORD_AND_SAMPLED };
      const { decision } = head.shouldSample(active, ...rest);
      return { decision: decision === NOT_RECORD ? RECORD : decision };
    },
    toString: () => `${head.toString()}, all recorded`,
  };
}

/** Maximum spans held per call until it ends; further ones are dropped. */
const HELD_OF_CALL_MAX = 128;
const HELD_MAX = 8_192;
/** Longer calls, such as streams, drop their held spans and continue. */
const HELD_MS_MAX = 60_000;

/** A call in this process: its first span, without a local parent, and its descendants. */
interface Call {
  readonly first: object;
  sinceMs: number;
  held: ReadableSpan[];
  isSent: boolean;
  /** True once the first span ended; later spans are forwarded or dropped, not held. */
  isOver: boolean;
}

/**
 * Tail decision: holds a call's spans until its first span ends. They are forwarded if the trace was sampled or a span failed, else
 * dropped.
 */
function createTailDecision(next: SpanProcessor, monotonicMs: () => number = () => performance.now()): SpanProcessor {
  const callOf = new WeakMap<object, Call>();
  let heldTotal = 0;

  function release(call: Call): readonly ReadableSpan[] {
    const { held } = call;
    heldTotal -= held.length;
    call.held = [];
    return held;
  }

  function hold(call: Call, span: ReadableSpan): void {
    const nowMs = monotonicMs();
    if (nowMs - call.sinceMs > HELD_MS_MAX) {
      release(call);
      call.sinceMs = nowMs;
    }
    if (call.held.length >= HELD_OF_CALL_MAX || heldTotal >= HELD_MAX) return;
    call.held.push(span);
    heldTotal += 1;
  }

  return {
    onStart(span: Span, parentContext: Context) {
      const parent = trace.getSpan(parentContext);
      const call = parent === undefined ? undefined : callOf.get(parent);
      callOf.set(span, call ?? { first: span, sinceMs: monotonicMs(), held: [], isSent: false, isOver: false });
      next.onStart(span, parentContext);
    },
    onEnd(span) {
      const call = callOf.get(span);
      if (call === undefined) return;
      if (isSampled(span) || span.status.code === SpanStatusCode.ERROR) call.isSent = true;
      call.isOver ||= call.first === span;
      if (call.isSent) for (const sent of [...release(call), span]) next.onEnd(asChosen(sent));
      else if (call.isOver) release(call);
      else hold(call, span);
    },
    forceFlush: () => next.forceFlush(),
    shutdown: () => next.shutdown(),
  };
}

function isSampled(span: ReadableSpan): boolean {
  return (span.spanContext().traceFlags & TraceFlags.SAMPLED) !== 0;
}

function asChosen(span: ReadableSpan): ReadableSpan {
  if (isSampled(span)) return span;
  const own = span.spanContext();
  const marked = { ...own, traceFlags: own.traceFlags | TraceFlags.SAMPLED };
  return Object.create(span, { spanContext: { value: () => marked } }) as ReadableSpan;
}
