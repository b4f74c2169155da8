import { type ErrorReason, isServiceError } from '@market-state/errors';
import { isToldByService } from './error-translation';

/** Reasons of an UNAVAILABLE that mean that the service is away; with any other it answered, about its load or another provider. */
const AWAY: ReadonlySet<ErrorReason> = new Set(['upstream_unavailable', 'starting', 'stopping']);

/**
 * Classifies a failed call for the breaker. Only an unreachable, late or disconnected service counts as failed. Any answer in time,
 * including INTERNAL, concerns that call only: a caller with input that a service cannot handle must not block all others.
 */
export function outcomeOf(error: unknown): Outcome {
  if (!isServiceError(error)) return 'failed';
  switch (error.code) {
    case 'CANCELLED':
      return 'given_up';
    case 'UNAVAILABLE':
      return AWAY.has(error.reason) ? 'failed' : 'answered';
    case 'DEADLINE_EXCEEDED':
      // Without a cause the caller's own time was up before anything was sent.
      if (error.cause === undefined) return 'given_up';
      return error.reason === 'upstream_deadline' && isToldByService(error) ? 'answered' : 'failed';
    case 'INTERNAL':
    case 'UNKNOWN':
      return isToldByService(error) ? 'answered' : 'failed';
    default:
      return 'answered';
  }
}

/** What an ended call shows about the service: it answered, it failed, or nothing, because the caller gave up. */
export type Outcome = 'answered' | 'failed' | 'given_up';

/** Takes the outcome of one admitted call. */
type Report = (outcome: Outcome) => void;

/** Stops calling a service that fails. */
export interface Breaker {
  /** Admits one call, which must report its outcome once; undefined while calls are refused. */
  admit(): Report | undefined;
}

interface BreakerOptions {
  /** A clock that never goes backwards, milliseconds. */
  readonly monotonicMs: () => number;
  /** Called when calls begin to be refused. */
  readonly onOpen?: () => void;
}

/** Period over which calls are counted, milliseconds. */
export const BREAKER_WINDOW_MS = 10_000;
/** Fewest calls in that period that count. */
export const BREAKER_CALLS_MIN = 20;
/** Share of them that must have failed. */
const BREAKER_FAILED_PART = 0.5;
/** How long calls are refused, milliseconds. */
export const BREAKER_OPEN_MS = 5_000;
/** Calls admitted then: if all are answered, calls are admitted again; if one fails, they are refused again. */
export const BREAKER_PROBES = 3;
/** A probe running longer than this, milliseconds, does not block another. */
export const BREAKER_PROBE_MS = 2_000;

const SLOT_MS = 1_000;

interface Slot {
  readonly index: number;
  calls: number;
  failed: number;
}

type State =
  | { readonly kind: 'closed'; slots: Slot[] }
  | { readonly kind: 'open'; readonly untilMs: number }
  | { readonly kind: 'probing'; readonly begun: Set<{ readonly ms: number }>; answered: number };

/** A breaker that refuses calls for a while when too many of them failed, then admits probes before it closes again. */
export function createBreaker({ monotonicMs, onOpen = () => undefined }: BreakerOptions): Breaker {
  let state: State = { kind: 'closed', slots: [] };

  function open(): void {
    state = { kind: 'open', untilMs: monotonicMs() + BREAKER_OPEN_MS };
    onOpen();
  }

  /** A report counts only for the state that admitted its call. */
  function countIn(closed: Extract<State, { kind: 'closed' }>): Report {
    return (outcome) => {
      if (state !== closed || outcome === 'given_up') return;
      const { calls, failed } = addTo(closed, outcome === 'failed', Math.floor(monotonicMs() / SLOT_MS));
      if (calls >= BREAKER_CALLS_MIN && failed >= calls * BREAKER_FAILED_PART) open();
    };
  }

  function probeIn(probing: Extract<State, { kind: 'probing' }>): Report {
    const probe = { ms: monotonicMs() };
    probing.begun.add(probe);
    return (outcome) => {
      probing.begun.delete(probe);
      if (state !== probing || outcome === 'given_up') return;
      if (outcome === 'failed') return open();
      probing.answered += 1;
      if (probing.answered === BREAKER_PROBES) state = { kind: 'closed', slots: [] };
    };
  }

  return {
    admit() {
      if (state.kind === 'open' && monotonicMs() >= state.untilMs) state = { kind: 'probing', begun: new Set(), answered: 0 };
      if (state.kind === 'closed') return countIn(state);
      if (state.kind === 'probing' && runningProbes(state.begun, monotonicMs()) + state.answered < BREAKER_PROBES) return probeIn(state);
      return undefined;
    },
  };
}

/** Probes that began a moment ago; those that take longer are forgotten. */
function runningProbes(begun: Set<{ readonly ms: number }>, nowMs: number): number {
  for (const probe of begun) if (nowMs - probe.ms >= BREAKER_PROBE_MS) begun.delete(probe);
  return begun.size;
}

/** Counts a call, drops those outside the window, and returns the sums of the rest. */
function addTo(closed: { slots: Slot[] }, hasFailed: boolean, index: number): { readonly calls: number; readonly failed: number } {
  const oldest = index - BREAKER_WINDOW_MS / SLOT_MS + 1;
  if (closed.slots.at(-1)?.index !== index)
    closed.slots = [...closed.slots.filter((slot) => slot.index >= oldest), { index, calls: 0, failed: 0 }];
  const newest = closed.slots.at(-1) as Slot;
  newest.calls += 1;
  if (hasFailed) newest.failed += 1;
  return { calls: sum(closed.slots, 'calls'), failed: sum(closed.slots, 'failed') };
}

function sum(slots: readonly Slot[], field: 'calls' | 'failed'): number {
  return slots.reduce((total, slot) => total + slot[field], 0);
}
