import type { labeling } from '@market-state/contracts';
import { type Fault, invalidArgument } from '@market-state/errors';
import type { EventIndex } from '../events/event-index';
import { readEventConditions } from './event-filter-request';
import { assertServed } from './assert-served';
import { toProtoFeedback } from './wire';

const WINDOW_MS_MAX = 31 * 86_400_000;

export interface GetStabilityDeps {
  readonly events: Pick<EventIndex, 'stability'>;
  readonly symbols: readonly string[];
}

export async function getStability(
  { events, symbols }: GetStabilityDeps,
  request: labeling.GetStabilityRequest,
): Promise<labeling.GetStabilityResponse> {
  const { filter, faults } = readEventConditions(request);
  const all = [...faults, ...lengthFaults(request)];
  if (all.length > 0) throw invalidArgument(all);
  if (filter.symbol !== null) assertServed([filter.symbol], symbols);
  const { packetTotal, pairTotal, states } = await events.stability(filter);
  return {
    packetTotal,
    pairTotal,
    states: states.map(({ feedback, transitions, dwellMeanS, dwellMedianS, ...state }) => ({
      ...state,
      dwellMeanS: dwellMeanS ?? undefined,
      dwellMedianS: dwellMedianS ?? undefined,
      transitions: transitions.map(({ toState, total }) => ({ toState, total })),
      feedback: toProtoFeedback(feedback),
    })),
  };
}

function lengthFaults({ fromWindowEndMs, toWindowEndMs }: labeling.GetStabilityRequest): Fault[] {
  if (fromWindowEndMs > 0 && toWindowEndMs > 0 && toWindowEndMs - fromWindowEndMs <= WINDOW_MS_MAX) return [];
  return [
    {
      field: 'to_window_end_ms',
      message: 'must be at most 31 days after from_window_end_ms, and both must be given',
      type: 'out_of_range',
    },
  ];
}
