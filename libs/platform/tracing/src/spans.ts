import {
  type Attributes,
  type Context,
  context,
  propagation,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';
import { choose, chosenContext } from './head-decision';

/** The id of the current trace, 32 hexadecimal digits; undefined outside of one, and while this process makes no traces. */
export function currentTraceId(): string | undefined {
  return trace.getActiveSpan()?.spanContext().traceId;
}

/** The role of a span in a call. */
type SpanRole = 'server' | 'client' | 'consumer' | 'internal';

/** What a span says of itself: routes, statuses, ids of ours. Never a secret, nor anything that a caller wrote. */
export type SpanAttributes = Attributes;

const KINDS: Readonly<Record<SpanRole, SpanKind>> = {
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  consumer: SpanKind.CONSUMER,
  internal: SpanKind.INTERNAL,
};

interface SpanOptions {
  readonly role: SpanRole;
  /** The caller's trace, from `extractTrace`; null begins a trace; default the current one. */
  readonly parent?: Context | null;
  readonly attributes?: SpanAttributes;
}

/** A span that is open. */
export interface OpenSpan {
  /** The trace inside this span. */
  readonly context: Context;
  /** Adds what became known while it was open. */
  set(attributes: SpanAttributes): void;
  /** Ends the span, as failed when an error is given. Of the error its reason, code or name is kept, not its sentence. */
  end(error?: unknown): void;
}

/** Opens a span. Until `openTracing` was called in this process spans record nothing. */
export function openSpan(title: string, options: SpanOptions): OpenSpan {
  const parent = options.parent === undefined ? context.active() : (options.parent ?? ROOT_CONTEXT);
  const span = tracer().startSpan(title, { kind: KINDS[options.role], attributes: options.attributes }, parent);
  return {
    context: trace.setSpan(parent, span),
    set: (attributes) => void span.setAttributes(attributes),
    end: (error) => endSpan(span, error),
  };
}

/** Runs `work` inside a span; a rejection marks the span as failed. */
export async function withSpan<T>(title: string, options: SpanOptions, work: (span: OpenSpan) => Promise<T>): Promise<T> {
  const span = openSpan(title, options);
  try {
    const result = await context.with(span.context, () => work(span));
    span.end();
    return result;
  } catch (error) {
    span.end(error);
    throw error;
  }
}

/**
 * Records something that is over and did not fail as a trace of one span, when it is one of those that are sent. It costs nothing where
 * there are no traces, and next to nothing where it is not chosen: for what is done some thousand times a second.
 * @param describe is asked for a chosen one alone
 * @param startedMs by `performance.now()`
 */
export function recordSampled(
  role: SpanRole,
  startedMs: number,
  describe: () => { readonly title: string; readonly attributes: SpanAttributes },
): void {
  if (!choose()) return;
  const { title, attributes } = describe();
  const startTime = performance.timeOrigin + startedMs;
  tracer().startSpan(title, { kind: KINDS[role], attributes, startTime }, chosenContext).end();
}

/** Runs `work` with a trace as the current one. */
export function insideTrace<T>(active: Context, work: () => T): T {
  return context.with(active, work);
}

/** Writes the trace into outgoing headers (`traceparent`) through `set`. */
export function injectTrace(active: Context, set: (key: string, value: string) => void): void {
  propagation.inject(active, undefined, { set: (_carrier, key, value) => set(key, value) });
}

/** The caller's trace from incoming headers. */
export function extractTrace(get: (key: string) => string | undefined): Context {
  return propagation.extract(context.active(), undefined, { get: (_carrier, key) => get(key), keys: () => [] });
}

function tracer() {
  return trace.getTracer('market-state');
}

function endSpan(span: Span, error: unknown): void {
  if (error !== undefined) {
    const { reason, code, name } = Object(error) as { readonly reason?: unknown; readonly code?: unknown; readonly name?: unknown };
    span.setStatus({ code: SpanStatusCode.ERROR });
    span.setAttribute('error.type', String(reason ?? code ?? name));
  }
  span.end();
}
