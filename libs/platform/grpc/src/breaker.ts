import { type ErrorReason, isServiceError } from '@market-state/errors';
import { isReportedByService } from './error-translation';

/** With any other reason the service did answer. */
const AWAY: ReadonlySet<ErrorReason> = new Set(['upstream_unavailable', 'starting', 'stopping']);

/**
 * Only an unreachable, late or disconnected service counts as failed. Any timely answer, even INTERNAL, concerns that
 * call only: input that a service cannot handle must not block other callers.
 */
export function outcomeOf(error: unknown): Outcome {
  if (!isServiceError(error)) return 'failed';
  switch (error.code) {
    case 'CANCELLED':
      return 'given_up';
    case 'UNAVAILABLE':
      return AWAY.has(error.reason) ? 'failed' : 'answered';
    case 'DEADLINE_EXCEEDED':
      // The caller's deadline passed before anything was sent.
      if (error.cause === undefined) return 'given_up';
      return error.reason === 'upstream_deadline' && isReportedByService(error) ? 'answered' : 'failed';
    case 'INTERNAL':
    case 'UNKNOWN':
      return isReportedByService(error) ? 'answered' : 'failed';
    default:
      return 'answered';
  }
}

export type Outcome = 'answered' | 'failed' | 'given_up';

type Report = (outcome: Outcome) => void;

export interface Breaker {
  /** Each admitted call must report once; undefined while calls are refused. */
  admit(): Report | undefined;
}

interface BreakerOptions {
  readonly monotonicMs: () => number;
  readonly onOpen?: () => void;
}

/** Counting period. */
export const BREAKER_WINDOW_MS = 10_000;
/** Minimum calls in that period. */
export const BREAKER_CALLS_MIN = 20;
const BREAKER_FAILED_PART = 0.5;
/** Refusal time. */
export const BREAKER_OPEN_MS = 5_000;
/** All must be answered to close the breaker; one failure reopens it. */
export const BREAKER_PROBES = 3;
/** A slower probe no longer counts as running. */
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
  | { readonly kind: 'probing'; readonly started: Set<{ readonly ms: number }>; answered: number };

/** Opens when too many calls fail, then admits probes before it closes. */
export function createBreaker({ monotonicMs, onOpen = () => undefined }: BreakerOptions): Breaker {
  let state: State = { kind: 'closed', slots: [] };

  function open(): void {
    state = { kind: 'open', untilMs: monotonicMs() + BREAKER_OPEN_MS };
    onOpen();
  }

  /** A report counts only in the state that admitted its call. */
  function countIn(closed: Extract<State, { kind: 'closed' }>): Report {
    return (outcome) => {
      if (state !== closed || outcome === 'given_up') return;
      const { calls, failed } = addTo(closed, outcome === 'failed', Math.floor(monotonicMs() / SLOT_MS));
      if (calls >= BREAKER_CALLS_MIN && failed >= calls * BREAKER_FAILED_PART) open();
    };
  }

  function probeIn(probing: Extract<State, { kind: 'probing' }>): Report {
    const probe = { ms: monotonicMs() };
    probing.started.add(probe);
    return (outcome) => {
      probing.started.delete(probe);
      if (state !== probing || outcome === 'given_up') return;
      if (outcome === 'failed') return open();
      probing.answered += 1;
      if (probing.answered === BREAKER_PROBES) state = { kind: 'closed', slots: [] };
    };
  }

  return {
    admit() {
      if (state.kind === 'open' && monotonicMs() >= state.untilMs) state = { kind: 'probing', started: new Set(), answered: 0 };
      if (state.kind === 'closed') return countIn(state);
      if (state.kind === 'probing' && runningProbes(state.started, monotonicMs()) + state.answered < BREAKER_PROBES) return probeIn(state);
      return undefined;
    },
  };
}

/** Drops slow probes. */
function runningProbes(started: Set<{ readonly ms: number }>, nowMs: number): number {
  for (const probe of started) if (nowMs - probe.ms >= BREAKER_PROBE_MS) started.delete(probe);
  return started.size;
}

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
