import { MINUTE_MS, ramp, type Scenario } from './scenario';

/** Funding and open interest that move away from the ordinary while the book stays two-sided. */
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
