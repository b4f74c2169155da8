import type { Fault } from '../feed/fault';
import { MINUTE_MS, ramp, SECOND_MS, type ConditionsChange, type Scenario } from './scenario';

export const stressScenarios = {
  sweep: {
    description: 'Runs of large orders go through several prices: first buys, then sells; the book refills behind them.',
    episodeMs: 8 * MINUTE_MS,
    conditions: sweepConditions,
    expects: [
      { aspect: 'event_class', anyOf: ['trade_flow_leading_visible_book'], share: 0.5 },
      {
        aspect: 'market_read_direction',
        anyOf: ['aggressive_buy_flow'],
        share: 0.5,
        span: { fromMs: 90 * SECOND_MS, toMs: 210 * SECOND_MS },
      },
      {
        aspect: 'market_read_direction',
        anyOf: ['aggressive_sell_flow'],
        share: 0.5,
        span: { fromMs: 330 * SECOND_MS, toMs: 450 * SECOND_MS },
      },
      // Prices move with the orders, so the volatility of the last minutes also rises above the hour's.
      { aspect: 'state', anyOf: ['flow_shift_watch', 'regime_transition_candidate'], share: 0.8 },
    ],
  },
  thinning: {
    description: 'Depth falls to a fifth, best sizes come and go, and the spread opens.',
    episodeMs: 10 * MINUTE_MS,
    conditions: (atMs) => ({
      depth: ramp(atMs, 0, 30 * SECOND_MS, 1, 0.2),
      withdrawals: ramp(atMs, 0, 30 * SECOND_MS, 0.01, 0.35),
      spreadTicks: ramp(atMs, 0, 30 * SECOND_MS, 2, 7),
      refill: 0.7,
      ordersPerSecond: 3,
      orderSize: 0.4,
    }),
    expects: [
      { aspect: 'state', anyOf: ['fragile_depth_watch'], share: 0.6 },
      { aspect: 'crossed_threshold', anyOf: ['fragility_elevated'], share: 0.6 },
    ],
  },
  flickering_quotes: {
    description: 'Best sizes come and go all the time without trades; depth behind them and the spread stay ordinary.',
    episodeMs: 14 * MINUTE_MS,
    conditions: () => ({ withdrawals: 0.65, refill: 0.8 }),
    expects: [
      { aspect: 'crossed_threshold', anyOf: ['fragility_watch'], share: 0.6 },
      { aspect: 'state', anyOf: ['fragile_depth_watch'], share: 0.6 },
    ],
  },
  liquidation_cascade: cascade(
    'Long positions are closed by force, wave after wave, and each wave pushes price to the next; the venue reports them.',
    false,
  ),
  liquidation_cascade_inferred: cascade(
    'The same cascade on a venue that does not report liquidations: they are inferred from its trades.',
    true,
  ),
} as const satisfies Record<string, Scenario>;

/** Two minutes of buying and two of selling, each after half a minute of rest. */
function sweepConditions(atMs: number): ConditionsChange {
  const cycleMs = 4 * MINUTE_MS;
  const sign = atMs < cycleMs ? 1 : -1;
  const inCycleMs = atMs % cycleMs;
  if (inCycleMs < 30 * SECOND_MS || inCycleMs >= 210 * SECOND_MS) return {};
  const burst = inCycleMs % (10 * SECOND_MS) < 2 * SECOND_MS;
  return { flowSkew: sign * 0.8, ordersPerSecond: burst ? 14 : 5, orderSize: burst ? 5 : 1, refill: 0.8, impact: 2 };
}

function cascade(description: string, inferred: boolean): Scenario {
  const episodeMs = 12 * MINUTE_MS;
  const faults: readonly Fault[] = inferred ? [{ kind: 'inferred_liquidations', fromMs: 0, toMs: episodeMs }] : [];
  return {
    description,
    episodeMs,
    conditions: cascadeConditions,
    faults,
    expects: [
      { aspect: 'crossed_threshold', anyOf: ['forced_flow_elevated'], share: 0.8 },
      { aspect: 'severity_class', anyOf: ['high_context', 'critical_context'], share: 0.7 },
      { aspect: 'severity_class', anyOf: ['critical_context'], share: 0.2 },
      ...(inferred ? [{ aspect: 'gap_flag', anyOf: ['liquidation_proxy_only'], share: 0.8 } as const] : []),
    ],
  };
}

/** Waves of 60 s: 40 s of liquidations and falling price, then a pause; fades over the last third. */
function cascadeConditions(atMs: number): ConditionsChange {
  const strength = ramp(atMs, 8 * MINUTE_MS, 11 * MINUTE_MS, 1, 0.1);
  const wave = atMs % MINUTE_MS < 40 * SECOND_MS ? 1 : 0.3;
  return {
    liquidationsPerSecond: 1.2 * strength * wave,
    liquidated: 'long',
    liquidationSize: 6,
    flowSkew: -0.8 * strength,
    ordersPerSecond: 5 + 5 * strength,
    depth: 1 - 0.55 * strength,
    depthSkew: -0.3 * strength,
    spreadTicks: 2 + 2.5 * strength,
    withdrawals: 0.01 + 0.12 * strength,
    driftBpsPerMinute: -12 * strength * wave,
    volatilityBps: 0.33 * (1 + strength),
    openInterestGrowthPerHour: -0.1 * strength * wave,
  };
}
