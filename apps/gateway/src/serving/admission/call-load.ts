import type { IncomingMessage } from 'node:http';
import { isPaidByMessages } from '@market-state/pricing';
import type { Metrics } from '@market-state/telemetry';
import { Counter, Gauge } from 'prom-client';
import { API_KEY_HEADER } from '../auth/authorise';
import type { Grant } from '../auth/grant';
import type { KeyDirectory } from '../auth/credential-directory';
import { Problem } from '../errors/problem';
import { weightOfOperation } from '../metering/call-price';
import type { Operation } from '../openapi/operations';
import type { Input } from '../validation/request-validator';

/** How much is refused: 0 nothing, 1 calls that weigh more than 4, 2 all that weigh more than 1, 3 all but `latest` of remembered keys. */
export type LoadLevel = 0 | 1 | 2 | 3;

/** Lag of the event loop above which each level begins, milliseconds. A level ends at half of it. */
const BEGINS_MS = [0, 200, 400, 800] as const;

const SAMPLE_EVERY_MS = 50;
/** A process that was stopped for a minute is not busy for long after. */
const SAMPLE_MS_MAX = 5_000;
/** Part of a new sample: one long turn of the loop by itself is no lag, some in a row are. */
const SAMPLE_PART = 0.3;

/** The lag after one more sample, milliseconds. */
export function smoothLag(lagMs: number, sampleMs: number): number {
  return lagMs + SAMPLE_PART * (Math.min(sampleMs, SAMPLE_MS_MAX) - lagMs);
}

/** The level after the lag has become this. */
export function nextLevel(level: LoadLevel, lagMs: number): LoadLevel {
  const begun = BEGINS_MS.findLastIndex((beginsMs) => lagMs > beginsMs);
  if (begun >= level) return Math.max(begun, 0) as LoadLevel;
  return lagMs > BEGINS_MS[level] / 2 ? level : nextLevel((level - 1) as LoadLevel, lagMs);
}

/** How far the event loop lags behind its timers. */
interface EventLoopLag {
  level(): LoadLevel;
  close(): void;
}

export function watchEventLoop(metrics: Metrics): EventLoopLag {
  const gauge = new Gauge({
    name: 'event_loop_lag_milliseconds',
    help: 'How late timers are, smoothed over some turns of the event loop.',
    registers: [metrics.registry],
  });
  const levels = new Gauge({
    name: 'load_level',
    help: 'How much is refused for the lag of the event loop: 0 nothing to 3 all but latest.',
    registers: [metrics.registry],
  });
  let level: LoadLevel = 0;
  let lagMs = 0;
  let dueMs = performance.now() + SAMPLE_EVERY_MS;
  const timer = setInterval(() => {
    const nowMs = performance.now();
    lagMs = smoothLag(lagMs, Math.max(0, nowMs - dueMs));
    dueMs = nowMs + SAMPLE_EVERY_MS;
    level = nextLevel(level, lagMs);
    gauge.set(lagMs);
    levels.set(level);
  }, SAMPLE_EVERY_MS);
  timer.unref();
  return { level: () => level, close: () => clearInterval(timer) };
}

/** What the calls weigh that each tenant has in flight at this gateway. */
interface CallsInFlight {
  /**
   * Counts a call until the function it gives is called, once its work has ended. Throws 429 `too_many_calls_at_once` when the tenant's
   * calls would weigh more than its plan allows; a call that weighs more than that by itself is let in when the tenant has no other.
   */
  enter(grant: Grant, weight: number): () => void;
}

interface Held {
  calls: number;
  weight: number;
}

function createCallsInFlight(metrics: Metrics): CallsInFlight {
  const registers = [metrics.registry];
  const total = new Gauge({ name: 'calls_in_flight_weight', help: 'Weight of the calls in flight of all tenants.', registers });
  const refused = new Counter({
    name: 'calls_in_flight_refused_total',
    help: 'Calls refused because their tenant had too much in flight.',
    labelNames: ['plan'],
    registers,
  });
  const byTenant = new Map<string, Held>();

  return {
    enter({ tenantId, plan }, weight) {
      const most = plan.limits.inFlightWeight;
      const held = byTenant.get(tenantId) ?? { calls: 0, weight: 0 };
      if (held.calls > 0 && held.weight + weight > most) {
        refused.inc({ plan: plan.planId });
        const sentence =
          `This call weighs ${weight}, and calls that weigh ${held.weight} are in flight; the plan allows ${most} at ` +
          `once. Nothing was charged.`;
        throw new Problem('too_many_calls_at_once', sentence, {
          headers: { 'Retry-After': '1' },
          members: { weight, weight_in_flight: held.weight, weight_limit: most },
        });
      }
      byTenant.set(tenantId, held);
      held.calls += 1;
      held.weight += weight;
      total.inc(weight);
      let left = false;
      return () => {
        if (left) return;
        left = true;
        held.calls -= 1;
        held.weight -= weight;
        total.dec(weight);
        if (held.calls === 0) byTenant.delete(tenantId);
      };
    },
  };
}

/** A call that weighs more is refused at each level; at the last all are. */
const WEIGHT_MAX = [Number.POSITIVE_INFINITY, 4, 1, 0] as const satisfies Record<LoadLevel, number>;

/** The operation that is refused last. */
const LAST = 'getLatest';

/** What all calls together, and those of each tenant, may ask of this gateway at once. */
export interface CallLoad {
  /** Throws 503 before anything is done for the call, when only `latest` of remembered keys is served. */
  refuseEarly(operation: Operation, req: IncomingMessage): void;
  /**
   * Counts a validated call until the function it gives is called, once its work has ended. Throws 503 `overloaded` when the event loop
   * lags too much for its weight, 429 `too_many_calls_at_once` when its tenant has too much in flight.
   */
  enter(operation: Operation, input: Input, grant: Grant | null): () => void;
}

interface CallLoadDeps {
  readonly level: () => LoadLevel;
  readonly directory: Pick<KeyDirectory, 'remembered'>;
  /** Symbols that `ALL` stands for now. */
  readonly symbolTotal: () => number;
  readonly metrics: Metrics;
}

function nothing(): void {}

/** Whether a call may wait: it counts as a stream then, not as a call in flight. */
function isWaiting({ waits }: Operation, { query }: Input): boolean {
  return waits !== null && Number(query[waits]) > 0;
}

/** Whether a call is handed on to a service that makes calls of its own for it: those count, or it would wait for a place that it takes. */
function isHandedOn({ rateClass }: Operation): boolean {
  return rateClass === 'agent';
}

export function createCallLoad({ level, directory, symbolTotal, metrics }: CallLoadDeps): CallLoad {
  const refused = new Counter({
    name: 'calls_shed_total',
    help: 'Calls refused because the event loop lags.',
    labelNames: ['level'],
    registers: [metrics.registry],
  });
  const inFlight = createCallsInFlight(metrics);

  function refuse(): never {
    refused.inc({ level: level() });
    throw new Problem('overloaded', 'The service is overloaded and refuses the most expensive calls first. Nothing was charged.', {
      headers: { 'Retry-After': '2' },
    });
  }

  return {
    refuseEarly({ operationId }, { headers, socket }) {
      if (level() < 3) return;
      const key = headers[API_KEY_HEADER];
      if (operationId !== LAST || typeof key !== 'string' || directory.remembered(key, socket) === null) refuse();
    },
    enter(operation, input, grant) {
      const weight = weightOfOperation(operation, input, symbolTotal());
      if (operation.operationId !== LAST && weight > WEIGHT_MAX[level()]) refuse();
      const isStream = (operation.price !== null && isPaidByMessages(operation.price)) || isWaiting(operation, input);
      return grant === null || isStream || isHandedOn(operation) ? nothing : inFlight.enter(grant, weight);
    },
  };
}
