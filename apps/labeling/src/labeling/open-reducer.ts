import { createState, type Policy, reduce, restoreState, serializeState } from '@market-state/labeler';
import type { OpenReducer } from './reducer';

/** Reducers of the labeler library under one policy. */
export function openReducerOf(policy: Policy): OpenReducer {
  return (symbol, saved) => {
    const state = saved === undefined ? createState(symbol, policy) : restoreState(saved, policy);
    return {
      reduce: (event) => reduce(state, event),
      serialize: () => serializeState(state),
    };
  };
}
