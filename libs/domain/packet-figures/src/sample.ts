import type { Packet } from '@market-state/labeler';
import { type MarketEvent, WINDOW_MS } from '@market-state/market-data';

/** In the order of packets and reports. */
export const COMPOSITES = ['pressure', 'flow', 'fragility', 'crowding', 'forced_flow', 'regime'] as const;
export type Composite = (typeof COMPOSITES)[number];

interface CompositeSample {
  /** 0 to 1; null without a source. */
  readonly score: number | null;
  readonly watch: number;
  readonly elevated: number;
  readonly held: boolean;
  /** Side that the composite's evidence favors, or `none`. */
  readonly side: string;
}

/** Lower bounds of the classes above routine. */
export interface SeverityBounds {
  readonly elevated: number;
  readonly high: number;
  readonly critical: number;
}

/** In base units, by aggressor side. */
export interface WindowVolume {
  readonly buys: number;
  readonly sells: number;
}

/** About 1 kB, so that a day of packets fits in memory. */
export interface ReportSample {
  readonly windowEndMs: number;
  readonly symbol: string;
  readonly venue: string;
  readonly sourceKind: string;
  readonly policyDigest: string;
  readonly mid: number | null;
  /** Null if the venue reports no trades. */
  readonly tradeTotal: number | null;
  /** Null without the event log: packets contain no volumes. */
  readonly volume: WindowVolume | null;
  readonly state: string;
  readonly stateLabel: string;
  /** Highest and second-highest candidate of this window, with scores from 0 to 1. */
  readonly winner: string;
  readonly winnerScore: number;
  readonly runnerUp: string;
  readonly runnerUpScore: number;
  /** Null in the first packets of a session. */
  readonly sessionState: string | null;
  readonly eventClass: string;
  readonly direction: string;
  readonly diagnosisClass: string;
  readonly transitionType: string;
  readonly severity: number;
  readonly severityClass: string;
  readonly severityBounds: SeverityBounds;
  readonly confidence: number;
  readonly confidenceLabel: string;
  readonly gapFlags: readonly string[];
  readonly thresholdSource: string;
  readonly composites: Readonly<Record<Composite, CompositeSample>>;
  /** Ids of crossed thresholds, and of those at most 10 % away. */
  readonly crossed: readonly string[];
  readonly near: readonly string[];
  readonly headline: string;
  readonly read: string;
  readonly against: string | null;
}

/** `volume` is the window's traded size, if known. */
export function sampleOf(packet: Packet, volume: WindowVolume | null = null): ReportSample {
  const { composites } = packet.state_decision_trace;
  const { state_diagnosis: diagnosis, event_severity: severity, client_readout: readout } = packet;
  return {
    windowEndMs: Date.parse(packet.scope.window_end_utc),
    symbol: packet.symbol,
    venue: packet.scope.venue,
    sourceKind: packet.scope.source_kind,
    policyDigest: packet.policy_digest,
    mid: packet.reference_prices.mid_price,
    tradeTotal: packet.packet_lineage_summary.window_event_totals.trade,
    volume,
    state: packet.state,
    stateLabel: packet.state_label,
    winner: diagnosis.winner_state,
    winnerScore: diagnosis.winner_score,
    runnerUp: diagnosis.runner_up_state,
    runnerUpScore: diagnosis.runner_up_score,
    sessionState: packet.session_state?.state ?? null,
    eventClass: packet.event_class,
    direction: packet.market_read_direction,
    diagnosisClass: diagnosis.diagnosis_class,
    transitionType: packet.transition_type,
    severity: severity.score,
    severityClass: severity.severity_class,
    severityBounds: { elevated: severity.bounds.elevated, high: severity.bounds.high, critical: severity.bounds.critical },
    confidence: packet.confidence.score,
    confidenceLabel: packet.confidence.label,
    gapFlags: packet.packet_quality.gap_flags,
    thresholdSource: packet.calibration_context.threshold_source,
    composites: Object.fromEntries(
      COMPOSITES.map((name) => {
        const { score, watch, elevated, held, side } = composites[name];
        return [name, { score, watch, elevated, held, side }];
      }),
    ) as Record<Composite, CompositeSample>,
    crossed: thresholdsOf(packet, 'crossed'),
    near: thresholdsOf(packet, 'near_threshold'),
    headline: readout.headline,
    read: readout.read,
    against: packet.reason_details.find(({ stance }) => stance === 'weighs_against')?.claim ?? null,
  };
}

function thresholdsOf({ state_diagnosis: { crossed_thresholds: met } }: Packet, crossingClass: string): string[] {
  return met.filter(({ crossing_class: its }) => its === crossingClass).map(({ feature_id: id }) => id);
}

interface Traded {
  buys: number;
  sells: number;
  /** Ids of the trades counted: some venues send a trade twice. */
  readonly ids: Set<string>;
}

export class WindowVolumes {
  private readonly windows = new Map<number, Traded>();
  private takenAtMs = 0;

  addEntry(entry: MarketEvent): void {
    if (entry.kind !== 'trade') return;
    const windowEndMs = Math.ceil(entry.exchangeTsMs / WINDOW_MS) * WINDOW_MS;
    if (windowEndMs <= this.takenAtMs) return;
    const traded = this.windows.get(windowEndMs) ?? { buys: 0, sells: 0, ids: new Set() };
    this.windows.set(windowEndMs, traded);
    if (entry.venueId !== '' && traded.ids.has(entry.venueId)) return;
    traded.ids.add(entry.venueId);
    if (entry.aggressorSide === 'buy') traded.buys += Number(entry.size);
    else traded.sells += Number(entry.size);
  }

  /** Returns and forgets the sizes traded in (T − 10 s, T]. Call once per window, in order. */
  take(windowEndMs: number): WindowVolume {
    const { buys, sells } = this.windows.get(windowEndMs) ?? { buys: 0, sells: 0 };
    for (const ms of this.windows.keys()) if (ms <= windowEndMs) this.windows.delete(ms);
    this.takenAtMs = windowEndMs;
    return { buys, sells };
  }
}
