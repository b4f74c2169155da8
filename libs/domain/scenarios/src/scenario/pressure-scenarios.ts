import { MINUTE_MS, type Scenario } from './scenario';

type Side = 'bid' | 'ask';

/** Books that lean to one side: alone, with the trades, and against them. */
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
      // Two-sided trades lean at times by as much as the symbol's own flow threshold, which quiet hours have drawn down.
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
