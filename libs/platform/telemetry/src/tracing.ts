import { type Attributes, type Context, context, propagation, type Span, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';

/** The role of a span in a call. */
export type SpanRole = 'server' | 'client' | 'internal';

const KINDS: Readonly<Record<SpanRole, SpanKind>> = {
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  internal: SpanKind.INTERNAL,
};

export interface SpanOptions {
  readonly role: SpanRole;
  /** The caller's trace, from `extractTrace`; default the current trace. */
  readonly parent?: Context;
  readonly attributes?: Attributes;
}

/** A span that is open. */
export interface OpenSpan {
  /** The trace inside this span. */
  readonly context: Context;
  /** Ends the span, as failed when an error is given. */
  end(error?: unknown): void;
}

/** Opens a span. Until an OpenTelemetry SDK is registered in the process spans record nothing. */
export function openSpan(title: string, options: SpanOptions): OpenSpan {
  const parent = options.parent ?? context.active();
  const span = tracer().startSpan(title, { kind: KINDS[options.role], attributes: options.attributes }, parent);
  return { context: trace.setSpan(parent, span), end: (error) => endSpan(span, error) };
}

/** Runs `work` inside a span; a rejection marks the span as failed. */
export async function withSpan<T>(title: string, options: SpanOptions, work: () => Promise<T>): Promise<T> {
  const span = openSpan(title, options);
  try {
    const result = await context.with(span.context, work);
    span.end();
    return result;
  } catch (error) {
    span.end(error);
    throw error;
  }
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
    span.setStatus({ code: SpanStatusCode.ERROR, message: error instanceof Error ? error.message : undefined });
  }
  span.end();
}
