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
  createContextKey,
} from '@opentelemetry/api';

/** Share of traces sent regardless of failures. */
export const SAMPLED_SHARE = 0.01;

const CHOSEN = createContextKey('market-state: chosen to be sent');

/** Root context of a trace that is already sampled. */
const chosenContext: Context = ROOT_CONTEXT.setValue(CHOSEN, true);

export function isChosen(active: Context): boolean {
  return active.getValue(CHOSEN) === true;
}

let isOpen = false;

export function setOpen(open: boolean): void {
  isOpen = open;
}

function isTracing(): boolean {
  return isOpen;
}

/** For completed work that did not fail. */
function choose(): boolean {
  return isOpen && Math.random() < SAMPLED_SHARE;
}

/** 32 hexadecimal digits; undefined outside of a trace and without tracing. */
export function currentTraceId(): string | undefined {
  return trace.getActiveSpan()?.spanContext().traceId;
}

type SpanRole = 'server' | 'client' | 'consumer' | 'internal';

/** Attributes of a span: routes, statuses, our ids. Never a secret or caller-supplied text. */
export type SpanAttributes = Attributes;

const KINDS: Readonly<Record<SpanRole, SpanKind>> = {
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  consumer: SpanKind.CONSUMER,
  internal: SpanKind.INTERNAL,
};

interface SpanOptions {
  readonly role: SpanRole;
  /** Caller's trace from `extractTrace`; null starts a trace; default: the current one. */
  readonly parent?: Context | null;
  readonly attributes?: SpanAttributes;
}

export interface OpenSpan {
  readonly context: Context;
  set(attributes: SpanAttributes): void;
  /**
   * Ends the span, as failed if an error is given. Only the error's reason, code or name is recorded, not its message.
   */
  end(error?: unknown): void;
}

const UNTRACED: OpenSpan = { context: ROOT_CONTEXT, set: () => undefined, end: () => undefined };

/** Records nothing before `openTracing`. */
export function openSpan(title: string, options: SpanOptions): OpenSpan {
  if (!isTracing()) return UNTRACED;
  const parent = options.parent === undefined ? context.active() : (options.parent ?? ROOT_CONTEXT);
  const span = tracer().startSpan(title, { kind: KINDS[options.role], attributes: options.attributes }, parent);
  return {
    context: trace.setSpan(parent, span),
    set: (attributes) => void span.setAttributes(attributes),
    end: (error) => endSpan(span, error),
  };
}

/** A rejection marks the span as failed. */
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
 * Records completed, successful work as a single-span trace if sampled; nearly free otherwise.
 * @param describe called only if sampled
 * @param startedMs from `performance.now()`
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

export function insideTrace<T>(active: Context, work: () => T): T {
  return isTracing() ? context.with(active, work) : work();
}

/** Sets `traceparent` through `set`. */
export function injectTrace(active: Context, set: (key: string, value: string) => void): void {
  propagation.inject(active, undefined, { set: (_carrier, key, value) => set(key, value) });
}

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
