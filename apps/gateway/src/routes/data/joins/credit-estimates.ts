import type { Described } from '../../../serving/openapi/described';

/** What a call costs at most, in market-state credits, and how that comes about. */
export interface CreditEstimate {
  readonly workload_family: Described<'RecipeStep'>['workload_family'];
  readonly estimated_market_state_credit_cost: number;
  readonly estimate_basis: string;
}

/** `market_data_latest`: 1 + floor(units / 250), the units being the depth or limit asked for. */
export function latestEstimate(parameter: string, units: number): CreditEstimate {
  return {
    workload_family: 'market_data_latest',
    estimated_market_state_credit_cost: 1 + Math.floor(units / 250),
    estimate_basis: `1 + floor(${parameter} ${units} / 250)`,
  };
}

/** `market_data_candles`: 1 + ceil(rows / 500), the rows being the candles of the window. */
export function candlesEstimate(rows: number): CreditEstimate {
  return {
    workload_family: 'market_data_candles',
    estimated_market_state_credit_cost: 1 + Math.ceil(rows / 500),
    estimate_basis: `1 + ceil(${rows} candles of the window / 500)`,
  };
}

/** `market_data_replay_window`: 2 + ceil(rows / 1,000), the rows being as many as a page may hold. */
export function replayEstimate(): CreditEstimate {
  return {
    workload_family: 'market_data_replay_window',
    estimated_market_state_credit_cost: 2 + 5,
    estimate_basis: '2 + ceil(5,000 rows a page at most / 1,000)',
  };
}
