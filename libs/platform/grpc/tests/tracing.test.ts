import { AsyncLocalStorage } from 'node:async_hooks';
import {
  type Context,
  context,
  type ContextManager,
  propagation,
  ROOT_CONTEXT,
  SpanKind,
  type TextMapPropagator,
  trace,
} from '@opentelemetry/api';
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base';
import { withSpan } from '@market-state/telemetry';
import { closeAll, connect, startEcho } from './harness';

class AsyncContextManager implements ContextManager {
  private readonly storage = new AsyncLocalStorage<Context>();
  active(): Context {
    return this.storage.getStore() ?? ROOT_CONTEXT;
  }
  with<A extends unknown[], F extends (...args: A) => ReturnType<F>>(
    active: Context,
    work: F,
    thisArg?: ThisParameterType<F>,
    ...args: A
  ): ReturnType<F> {
    return this.storage.run(active, () => work.call(thisArg, ...args));
  }
  bind<T>(_context: Context, target: T): T {
    return target;
  }
  enable(): this {
    return this;
  }
  disable(): this {
    return this;
  }
}

/** The `traceparent` header of W3C Trace Context, version 00. */
const traceParent: TextMapPropagator = {
  inject(active, carrier, setter) {
    const span = trace.getSpanContext(active);
    if (span !== undefined) setter.set(carrier, 'traceparent', `00-${span.traceId}-${span.spanId}-01`);
  },
  extract(active, carrier, getter) {
    const header = getter.get(carrier, 'traceparent');
    const [, traceId, spanId] = typeof header === 'string' ? header.split('-') : [];
    if (traceId === undefined || spanId === undefined) return active;
    return trace.setSpanContext(active, { traceId, spanId, traceFlags: 1, isRemote: true });
  },
  fields: () => ['traceparent'],
};

afterEach(async () => {
  await closeAll();
  trace.disable();
  propagation.disable();
  context.disable();
});

test('without a registered SDK no span exists and calls work', async () => {
  let span: unknown = 'not called';
  const { server } = await startEcho({
    echo: async ({ text }) => {
      span = trace.getActiveSpan();
      return { text };
    },
  });
  await connect(server.address).call.echo({ text: '' });
  expect(span).toBeUndefined();
});

test('spans of caller, client, server and the onward call join into one trace', async () => {
  const exporter = new InMemorySpanExporter();
  trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }));
  propagation.setGlobalPropagator(traceParent);
  context.setGlobalContextManager(new AsyncContextManager());

  const back = await startEcho();
  const onward = connect(back.server.address);
  const front = await startEcho({ echo: (request) => onward.call.echo(request) });
  const client = connect(front.server.address);
  await withSpan('edge', { role: 'internal' }, () => client.call.echo({ text: '' }));

  const spans = exporter.getFinishedSpans();
  expect(spans.map((span) => span.kind).sort()).toEqual(
    [SpanKind.INTERNAL, SpanKind.SERVER, SpanKind.SERVER, SpanKind.CLIENT, SpanKind.CLIENT].sort(),
  );
  expect(new Set(spans.map((span) => span.spanContext().traceId)).size).toBe(1);
  const parents = new Set(spans.map((span) => span.parentSpanContext?.spanId));
  expect(parents.size).toBe(5);
  const ids = new Set([undefined, ...spans.map((span) => span.spanContext().spanId)]);
  for (const parent of parents) expect(ids.has(parent)).toBe(true);
});
