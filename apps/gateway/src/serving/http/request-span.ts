import { type OpenSpan, openSpan, recordSampled, type SpanAttributes } from '@market-state/tracing';

/** A request by its route: what is asked for, and with what, is in no trace. */
interface TracedRequest {
  readonly method: string;
  /** Its template. */
  readonly route: string;
}

const titleOf = ({ method, route }: TracedRequest): string => `${method} ${route}`;
const attributesOf = ({ method, route }: TracedRequest): SpanAttributes => ({ 'http.request.method': method, 'http.route': route });

/** Begins the trace of a request. Callers are outside: whatever trace they name, and whether it is to be sent, is theirs. */
export function openRequestSpan(request: TracedRequest): OpenSpan {
  return openSpan(titleOf(request), { role: 'server', parent: null, attributes: attributesOf(request) });
}

/** Ends it with the status sent, as failed when the fault was ours. */
export function endRequestSpan(span: OpenSpan, status: number, fault: Error | undefined): void {
  span.set({ 'http.response.status_code': status });
  span.end(fault);
}

/** Records a request that was answered at once, from what is held here. */
export function recordReady(request: TracedRequest, status: number, startedMs: number): void {
  recordSampled('server', startedMs, () => ({
    title: titleOf(request),
    attributes: { ...attributesOf(request), 'http.response.status_code': status },
  }));
}
