import { trace } from '@opentelemetry/api';

/** The id of the current trace, 32 hexadecimal digits; undefined outside of one, and while this process makes no traces. */
export function currentTraceId(): string | undefined {
  return trace.getActiveSpan()?.spanContext().traceId;
}
