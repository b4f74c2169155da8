import { COMPOSITES, type ReportSample } from '@market-state/packet-figures';

export const START_MS = Date.UTC(2024, 7, 8, 23, 59, 0);

/** `window` counts from 1, the window that ends 10 s after START_MS. */
export function sample(window: number, fields: Partial<ReportSample> = {}): ReportSample {
  const state = fields.state ?? 'market_state_watch';
  return {
    windowEndMs: START_MS + window * 10_000,
    symbol: 'BTCUSD-PERP',
    venue: 'binance-coinm',
    sourceKind: 'recorded',
    policyDigest: 'ab'.repeat(32),
    mid: 61_700.5,
    tradeTotal: 12,
    volume: null,
    state,
    stateLabel: state.replaceAll('_', ' '),
    winner: state,
    winnerScore: 0.6,
    runnerUp: 'depth_watch',
    runnerUpScore: 0.35,
    sessionState: null,
    eventClass: 'balanced_two_sided_context',
    direction: 'no_dominant_side',
    diagnosisClass: 'competing_state_read',
    transitionType: 'state_reaffirmed',
    severity: 0.3,
    severityClass: 'routine_context',
    severityBounds: { elevated: 0.5, high: 0.6, critical: 0.7 },
    confidence: 0.5,
    confidenceLabel: 'medium',
    gapFlags: [],
    thresholdSource: 'policy_default',
    composites: Object.fromEntries(
      COMPOSITES.map((name) => [name, { score: 0.2, watch: 0.35, elevated: 0.6, held: false, side: 'none' }]),
    ) as ReportSample['composites'],
    crossed: [],
    near: [],
    headline: `Headline of ${state}.`,
    read: `Read of ${state}.`,
    against: `What speaks against ${state}.`,
    ...fields,
  };
}

/** One sample per window from 1; null leaves the window without a packet. */
export function series(states: readonly (string | null)[]): readonly ReportSample[] {
  return states.flatMap((state, index) => (state === null ? [] : [sample(index + 1, { state })]));
}
