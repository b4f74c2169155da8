import { MINUTE_MS, ramp, type Scenario } from './scenario';

type Side = 'bid' | 'ask';

/** Books that lean to one side: without trades, with them, and against them. */
export const pressureScenarios = {
  bid_pressure: pressure('bid'),
  ask_pressure: pressure('ask'),
  bid_pressure_with_buy_flow: confirmedPressure('bid'),
  ask_pressure_with_sell_flow: confirmedPressure('ask'),
  bid_absorption: absorption('bid'),
  ask_absorption: absorption('ask'),
} as const satisfies Record<string, Scenario>;

function pressure(side: Side): Scenario {
  return {
    description: `The book leans to the ${side} side while trades stay two-sided.`,
    episodeMs: 8 * MINUTE_MS,
    conditions: () => ({ depthSkew: signOf(side) * 0.6, orderSize: 0.6 }),
    expects: [
      // Two-sided trades occasionally exceed the symbol's own flow threshold, which quiet hours have lowered.
      { aspect: 'event_class', anyOf: ['visible_depth_pressure_without_trade_confirmation'], share: 0.5 },
      { aspect: 'market_read_direction', anyOf: [`${side}_heavy_depth`], share: 0.5 },
      { aspect: 'state', anyOf: ['depth_watch'], share: 0.8 },
      { aspect: 'crossed_threshold', anyOf: ['pressure_watch'], share: 0.8 },
    ],
  };
}

function confirmedPressure(side: Side): Scenario {
  const flow = side === 'bid' ? 'buy' : 'sell';
  return {
    description: `The book leans to the ${side} side and ${flow} orders dominate: price moves with them.`,
    episodeMs: 7 * MINUTE_MS,
    conditions: () => ({
      depthSkew: signOf(side) * 0.62,
      flowSkew: signOf(side) * 0.98,
      ordersPerSecond: 8,
      driftBpsPerMinute: signOf(side) * 1.5,
    }),
    expects: [
      { aspect: 'event_class', anyOf: [`${side}_pressure_confirmed_by_${flow}_flow`], share: 0.6 },
      { aspect: 'market_read_direction', anyOf: ['book_pressure_and_trade_flow_confirmed'], share: 0.6 },
      { aspect: 'state', anyOf: ['pressure_building'], share: 0.7 },
      { aspect: 'diagnosis_class', anyOf: ['active_context_read'], share: 0.6 },
    ],
  };
}

function absorption(side: Side): Scenario {
  const flow = side === 'bid' ? 'sell' : 'buy';
  return {
    description: `Aggressive ${flow} orders meet ${side === 'ask' ? 'an ask' : 'a bid'} side that takes them all: price hardly moves.`,
    episodeMs: 8 * MINUTE_MS,
    conditions: () => ({
      depthSkew: signOf(side) * 0.66,
      flowSkew: signOf(side) * -0.62,
      ordersPerSecond: 9,
      orderSize: 1.4,
      impact: 0,
      refill: 0.6,
      volatilityBps: 0.1,
      noiseTicks: 0.8,
    }),
    expects: [
      { aspect: 'event_class', anyOf: [`${side}_depth_absorption_against_${flow}_flow`], share: 0.6 },
      { aspect: 'market_read_direction', anyOf: [`${flow}_flow_absorbed_by_${side}_liquidity`], share: 0.6 },
      { aspect: 'diagnosis_class', anyOf: ['contested_context_review'], share: 0.6 },
    ],
  };
}

function signOf(side: Side): -1 | 1 {
  return side === 'bid' ? 1 : -1;
}

export const positioningScenarios = {
  open_interest_surge: {
    description: 'Open interest grows by about seven percent within ten minutes; funding follows a little.',
    episodeMs: 12 * MINUTE_MS,
    conditions: (atMs) => ({
      openInterestGrowthPerHour: atMs < 10 * MINUTE_MS ? 0.42 : 0,
      fundingPerHour: ramp(atMs, 0, 8 * MINUTE_MS, 0.000_012_5, 0.000_03),
    }),
    expects: [
      { aspect: 'state', anyOf: ['crowding_shift'], share: 0.6, span: { fromMs: 5 * MINUTE_MS, toMs: 12 * MINUTE_MS } },
      { aspect: 'crossed_threshold', anyOf: ['crowding_watch'], share: 0.6, span: { fromMs: 5 * MINUTE_MS, toMs: 12 * MINUTE_MS } },
      {
        aspect: 'market_read_direction',
        anyOf: ['open_interest_context_attached'],
        share: 0.5,
        span: { fromMs: 5 * MINUTE_MS, toMs: 12 * MINUTE_MS },
      },
    ],
  },
  crowding_persists: {
    description: 'Funding stays high for a long time: positioning is crowded and does not unwind.',
    episodeMs: 24 * MINUTE_MS,
    conditions: () => ({ fundingPerHour: 0.000_05 }),
    expects: [
      { aspect: 'state', anyOf: ['crowding_persistent'], share: 0.8, span: { fromMs: 11 * MINUTE_MS, toMs: 24 * MINUTE_MS } },
      { aspect: 'event_class', anyOf: ['funding_oi_crowding_context'], share: 0.6 },
    ],
  },
  funding_spike: {
    description: 'Funding jumps to five times the ordinary within half a minute and comes back after ten minutes.',
    episodeMs: 16 * MINUTE_MS,
    conditions: (atMs) => ({ fundingPerHour: atMs < 10 * MINUTE_MS ? 0.000_065 : 0.000_012_5 }),
    expects: [
      { aspect: 'state', anyOf: ['crowding_shift'], share: 0.8, span: { fromMs: MINUTE_MS, toMs: 7 * MINUTE_MS } },
      { aspect: 'event_class', anyOf: ['funding_oi_crowding_context'], share: 0.6, span: { fromMs: MINUTE_MS, toMs: 10 * MINUTE_MS } },
    ],
  },
} as const satisfies Record<string, Scenario>;

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
    expects: [{ aspect: 'severity_class', anyOf: ['routine_context'], share: 0.9, span: { fromMs: 6 * MINUTE_MS, toMs: 16 * MINUTE_MS } }],
  },
} as const satisfies Record<string, Scenario>;
