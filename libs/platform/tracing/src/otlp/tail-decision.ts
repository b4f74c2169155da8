import { type Context, SpanStatusCode, trace, TraceFlags } from '@opentelemetry/api';
import type { ReadableSpan, Span, SpanProcessor } from '@opentelemetry/sdk-trace';

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
export function createTailDecision(next: SpanProcessor, monotonicMs: () => number = () => performance.now()): SpanProcessor {
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
      if (isChosen(span) || span.status.code === SpanStatusCode.ERROR) call.isSent = true;
      call.isOver ||= call.first === span;
      if (call.isSent) for (const sent of [...release(call), span]) next.onEnd(asChosen(sent));
      else if (call.isOver) release(call);
      else hold(call, span);
    },
    forceFlush: () => next.forceFlush(),
    shutdown: () => next.shutdown(),
  };
}

function isChosen(span: ReadableSpan): boolean {
  return (span.spanContext().traceFlags & TraceFlags.SAMPLED) !== 0;
}

/** The same span with the mark of those that are sent. */
function asChosen(span: ReadableSpan): ReadableSpan {
  if (isChosen(span)) return span;
  const own = span.spanContext();
  const marked = { ...own, traceFlags: own.traceFlags | TraceFlags.SAMPLED };
  return Object.create(span, { spanContext: { value: () => marked } }) as ReadableSpan;
}
