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
import { isChosen, SAMPLED_SHARE, setOpen } from './head-decision';

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

/** From the first byte sent to the head of the answer. */
const ANSWER_MS_MAX = 3_000;

/**
 * Sends spans to a collector by OTLP over HTTP, each batch once: within its time, or not at all. Of the answer only the status is read;
 * what else a collector says, and however long it goes on, is not listened to.
 * @param url of the collector's traces
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
    async shutdown() {
      // Nothing is kept open.
    },
  };
}

const { RECORD, RECORD_AND_SAMPLED, NOT_RECORD } = SamplingDecision;

/**
 * The head decision: where a trace begins its id decides, elsewhere the caller has decided. Whatever it says, every span is recorded, since
 * only its end shows whether it failed.
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

/** Spans of one call that are held until it is over; what comes beyond is left out. */
const HELD_OF_CALL_MAX = 128;
/** Spans of all calls that are held. */
const HELD_MAX = 8_192;
/** A call that takes longer forgets what it holds and goes on, milliseconds: a stream may take days. */
const HELD_MS_MAX = 60_000;

/** One call in this process: its first span, which has no parent here, and all that it leads to. */
interface Call {
  readonly first: object;
  /** Since when spans are held, by the monotonic clock, milliseconds. */
  sinceMs: number;
  held: ReadableSpan[];
  /** Its spans are passed on as they end. */
  isSent: boolean;
  /** Its first span has ended; what still follows is passed on or left out, and not held. */
  isOver: boolean;
}

/**
 * The tail decision: the spans of a call are held until its first one ends. They are passed on when the trace was chosen at its head or as
 * soon as one of them failed, and forgotten otherwise. Memory is bounded, however many calls there are and however long they take.
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

/** The same span with the mark of those that are sent. */
function asChosen(span: ReadableSpan): ReadableSpan {
  if (isSampled(span)) return span;
  const own = span.spanContext();
  const marked = { ...own, traceFlags: own.traceFlags | TraceFlags.SAMPLED };
  return Object.create(span, { spanContext: { value: () => marked } }) as ReadableSpan;
}
