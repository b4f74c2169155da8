import { yieldToEventLoop } from '@market-state/lifecycle';
import { storedValidity, type StoredValidity } from '@market-state/report';
import { LRUCache } from 'lru-cache';
import type { EventIndex, StabilityWindow } from './event-index';

/** A day. More packets would take too long for an answer. */
const PACKETS_MAX = 8_640;

/** Time in which an answer is used again, for callers that ask about the same window: a symbol's next packet is 10 s away. */
const TTL_MS = 10_000;
const ANSWERS_MAX = 100;

export interface MeasuredValidity extends StoredValidity {
  readonly packetTotal: number;
}

export type ReadValidity = (window: StabilityWindow) => Promise<MeasuredValidity>;

/** Validity of a symbol's newest labels in a window, at most 10 s old. Callers at the same time share one computation. */
export function createValidityReader(events: Pick<EventIndex, 'labels'>): ReadValidity {
  const answers = new LRUCache<string, MeasuredValidity, StabilityWindow>({
    max: ANSWERS_MAX,
    ttl: TTL_MS,
    fetchMethod: (_key, _stale, { context }) => measureValidity(events, context),
  });
  return (window) => answers.forceFetch([window.symbol, window.fromMs, window.toMs, window.asOfMs].join(), { context: window });
}

/** Other work goes on between its steps. */
async function measureValidity(events: Pick<EventIndex, 'labels'>, window: StabilityWindow): Promise<MeasuredValidity> {
  const labels = await events.labels(window, PACKETS_MAX);
  const steps = storedValidity(labels);
  let step = steps.next();
  for (; step.done !== true; step = steps.next()) await yieldToEventLoop();
  return { ...step.value, packetTotal: labels.length };
}
