import { isPaidByMessages } from '@market-state/pricing';
import type { IncomingMessage } from 'node:http';
import type { Metrics } from '@market-state/telemetry';
import { Counter } from 'prom-client';
import { API_KEY_HEADER } from '../auth/credential';
import type { Grant } from '../auth/grant';
import type { KeyDirectory } from '../auth/key-directory';
import { Problem } from '../errors/problem';
import { weightOfOperation } from '../metering/call-price';
import type { Operation } from '../openapi/operations';
import type { Input } from '../validation/request-validator';
import { createCallsInFlight } from './calls-in-flight';
import type { LoadLevel } from '../limits/event-loop-lag';

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

export interface CallLoadDeps {
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
