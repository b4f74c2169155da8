import { MINUTE_MS, ramp, type Scenario } from './scenario';

/** Two-sided markets, and changes of how much they move. */
export const ordinaryScenarios = {
  calm: {
    description: 'A quiet two-sided market: few orders, steady depth, little movement.',
    episodeMs: 30 * MINUTE_MS,
    conditions: () => ({ volatilityBps: 0.28, ordersPerSecond: 4, withdrawals: 0.004 }),
    expects: [
      { aspect: 'event_class', anyOf: ['balanced_two_sided_context'], share: 0.75 },
      { aspect: 'state', anyOf: ['market_state_watch'], share: 0.6 },
    ],
  },
  balanced: {
    description: 'An ordinary two-sided market between episodes.',
    episodeMs: 30 * MINUTE_MS,
    conditions: () => ({}),
    expects: [
      { aspect: 'event_class', anyOf: ['balanced_two_sided_context'], share: 0.6 },
      { aspect: 'state', anyOf: ['market_state_watch'], share: 0.5 },
    ],
  },
  volatility_up: {
    description: 'Volatility rises to four times the ordinary within a minute and stays there.',
    episodeMs: 14 * MINUTE_MS,
    conditions: (atMs) => {
      const times = ramp(atMs, 0, MINUTE_MS, 1, 4.5);
      const spreadTicks = ramp(atMs, 0, MINUTE_MS, 2, 3);
      return { volatilityBps: 0.33 * times, noiseTicks: 0.9 * times, spreadTicks, ordersPerSecond: 7, liquidationsPerSecond: 0.03 };
    },
    expects: [
      { aspect: 'state', anyOf: ['regime_transition_candidate'], share: 0.6, span: { fromMs: 4 * MINUTE_MS, toMs: 14 * MINUTE_MS } },
    ],
  },
  volatility_down: {
    description: 'Volatility falls to a fifth of the ordinary and stays there.',
    episodeMs: 16 * MINUTE_MS,
    conditions: () => ({ volatilityBps: 0.06, noiseTicks: 0.15, ordersPerSecond: 3 }),
    expects: [
      { aspect: 'state', anyOf: ['regime_transition_candidate'], share: 0.6, span: { fromMs: 6 * MINUTE_MS, toMs: 16 * MINUTE_MS } },
    ],
  },
} as const satisfies Record<string, Scenario>;
