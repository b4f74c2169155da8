/** Calls are counted over this long. */
const SPAN_MS = 10_000;
/** Fewer calls than this in the span say nothing. */
const CALLS_MIN = 20;
/** Share of failed calls at which it opens. */
const FAILED_SHARE = 0.5;
/** How long it stays open before probes are let through. */
const OPEN_MS = 5_000;
/** Calls let through to see whether the target is back; all must succeed. */
const PROBES = 3;

/** Stops calling a target that mostly fails, and tries it with a few calls before it trusts it again. */
export interface Breaker {
  /** Whether a call may go out now. A call that may must be followed by `record`. */
  admit(): boolean;
  /** Tells how an admitted call ended: whether the target failed to serve it. Refusals by its rules are no failures. */
  record(failed: boolean): void;
}

interface Outcome {
  readonly atMs: number;
  readonly failed: boolean;
}

type State = { readonly kind: 'closed' } | { readonly kind: 'open'; readonly untilMs: number } | { readonly kind: 'probing'; left: number; succeeded: number };

/** @param nowMs milliseconds that only rise */
export function createBreaker(nowMs: () => number): Breaker {
  let state: State = { kind: 'closed' };
  let outcomes: Outcome[] = [];

  function open(): void {
    state = { kind: 'open', untilMs: nowMs() + OPEN_MS };
    outcomes = [];
  }

  function recordClosed(failed: boolean): void {
    const atMs = nowMs();
    outcomes.push({ atMs, failed });
    if ((outcomes[0]?.atMs ?? atMs) < atMs - SPAN_MS) outcomes = outcomes.filter((outcome) => outcome.atMs >= atMs - SPAN_MS);
    if (!failed || outcomes.length < CALLS_MIN) return;
    const failures = outcomes.reduce((total, outcome) => total + (outcome.failed ? 1 : 0), 0);
    if (failures >= outcomes.length * FAILED_SHARE) open();
  }

  return {
    admit() {
      if (state.kind === 'open' && nowMs() >= state.untilMs) state = { kind: 'probing', left: PROBES, succeeded: 0 };
      if (state.kind === 'closed') return true;
      if (state.kind === 'open' || state.left === 0) return false;
      state.left -= 1;
      return true;
    },
    record(failed) {
      if (state.kind === 'closed') recordClosed(failed);
      else if (state.kind === 'probing') {
        if (failed) open();
        else if (++state.succeeded === PROBES) state = { kind: 'closed' };
      }
    },
  };
}
