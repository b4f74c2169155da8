import { WINDOW_MS, type MarketEvent } from '@market-state/market-data';
import { RETAINED_STATES, type ReportSample } from '@market-state/packet-figures';
import { HIGH_CLASSES, ValidityTally, type PacketCorrelation, type Validity } from './validity/validity-tally';

const HOUR_MS = 3_600_000;

type StabilitySample = Pick<
  ReportSample,
  'windowEndMs' | 'state' | 'winner' | 'sessionState' | 'eventClass' | 'severity' | 'severityClass' | 'composites'
>;

/** Share of the live packets, 0 to 1. */
export interface Share {
  readonly value: string;
  readonly share: number;
}

/**
 * Stability of packet labels. Live packets are those in which neither `insufficient_evidence` nor
 * `replay_context_ready` won; shares refer to them unless noted. A number without data is null.
 */
export interface Stability {
  readonly livePackets: number;
  /** Ten per live packet. */
  readonly liveSeconds: number;
  /** Changes of the published state between consecutive windows, excluding the two states above, per live hour. */
  readonly flipsPerHour: number | null;
  /** Between consecutive live packets, per live hour. */
  readonly classChangesPerHour: number | null;
  /** Between consecutive windows that have a session state, per live hour. */
  readonly sessionChangesPerHour: number | null;
  /** Median run length of a published state; for an even count, the mean of the middle two. */
  readonly medianDwellSeconds: number | null;
  /** Share of all packets whose published state is not the raw winner. */
  readonly notWinnerShare: number | null;
  readonly states: readonly Share[];
  readonly severityClasses: readonly Share[];
  /** Live packets of class `high_context` or `critical_context`. */
  readonly highShare: number | null;
  /**
   * Spearman's rank correlation of severity with the realized volatility of the next 60 s: the square root of the sum
   * of sixty squared log returns (see `SecondSeries`). Null if either is constant, or without log entries.
   */
  readonly severityVolatilityCorrelation: number | null;
  /** Live packets whose next minute has a volatility. */
  readonly correlatedPackets: number;
  /** The same for simple forecasts, each on the live packets that have it. */
  readonly forecastCorrelations: ForecastCorrelations;
}

interface ForecastCorrelations {
  /** Volatility of the last 60 s and 300 s. */
  readonly lastMinute: PacketCorrelation;
  readonly lastFiveMinutes: PacketCorrelation;
  /** HAR: four spans up to 1,800 s with published weights. */
  readonly har: PacketCorrelation;
}

/** Thrown for packets that are not a series. */
export class StabilityError extends Error {
  override readonly name = 'StabilityError';
}

/**
 * Measures a symbol's packets, oldest first, with the log entries between them, if any. Stores numbers per
 * run and packet, never packets or entries.
 */
export class StabilityTally {
  private packets = 0;
  private livePackets = 0;
  private flips = 0;
  private classChanges = 0;
  private sessionChanges = 0;
  private notWinner = 0;
  private readonly states = new Map<string, number>();
  private readonly severityClasses = new Map<string, number>();
  private readonly runs: number[] = [];
  private runPackets = 0;
  private last: StabilitySample | undefined;
  private readonly validityTally = new ValidityTally();

  addEntry(entry: MarketEvent): void {
    this.validityTally.addEntry(entry);
  }

  /** @throws StabilityError if the window is not after the last one */
  addPacket(sample: StabilitySample): void {
    const { last } = this;
    if (last !== undefined && sample.windowEndMs <= last.windowEndMs)
      throw new StabilityError(
        `Packets must be oldest first, one per window; ${new Date(sample.windowEndMs).toISOString()} is out of order.`,
      );
    this.addWindow(sample, last !== undefined && last.windowEndMs === sample.windowEndMs - WINDOW_MS ? last : undefined);
    this.last = sample;
  }

  private addWindow(sample: StabilitySample, before: StabilitySample | undefined): void {
    const live = isLive(sample);
    const followsLive = live && before !== undefined && isLive(before);
    const stateGoesOn = followsLive && before.state === sample.state;
    if (!stateGoesOn) this.endRun();
    if (followsLive && !stateGoesOn && !isRetained(before) && !isRetained(sample)) this.flips++;
    if (followsLive && before.eventClass !== sample.eventClass) this.classChanges++;
    const sessionBefore = before?.sessionState ?? null;
    if (sessionBefore !== null && sample.sessionState !== null && sessionBefore !== sample.sessionState) this.sessionChanges++;
    this.packets++;
    if (sample.winner !== sample.state) this.notWinner++;
    if (!live) return;
    this.validityTally.addPacket(sample);
    this.livePackets++;
    this.runPackets++;
    addTo(this.states, sample.state, 1);
    addTo(this.severityClasses, sample.severityClass, 1);
  }

  /** Adds a finished tally of another symbol or time; nothing is compared across the two. */
  include(other: StabilityTally): void {
    this.packets += other.packets;
    this.livePackets += other.livePackets;
    this.flips += other.flips;
    this.classChanges += other.classChanges;
    this.sessionChanges += other.sessionChanges;
    this.notWinner += other.notWinner;
    for (const [value, packets] of other.states) addTo(this.states, value, packets);
    for (const [value, packets] of other.severityClasses) addTo(this.severityClasses, value, packets);
    this.runs.push(...other.allRuns());
    this.validityTally.include(other.validityTally);
  }

  private allRuns(): readonly number[] {
    return this.runPackets > 0 ? [...this.runs, this.runPackets] : this.runs;
  }

  private endRun(): void {
    if (this.runPackets > 0) this.runs.push(this.runPackets);
    this.runPackets = 0;
  }

  /** Once packets and log have ended. */
  result(): Stability {
    this.validityTally.end();
    const { packets, livePackets } = this;
    const liveHours = (livePackets * WINDOW_MS) / HOUR_MS;
    const perHour = (total: number): number | null => (livePackets === 0 ? null : total / liveHours);
    const share = (total: number, of = livePackets): number | null => (of === 0 ? null : total / of);
    const high = [...HIGH_CLASSES].reduce((total, value) => total + (this.severityClasses.get(value) ?? 0), 0);
    const severity = this.validityTally.correlationWithNextMinute('severity');
    return {
      livePackets,
      liveSeconds: (livePackets * WINDOW_MS) / 1_000,
      flipsPerHour: perHour(this.flips),
      classChangesPerHour: perHour(this.classChanges),
      sessionChangesPerHour: perHour(this.sessionChanges),
      medianDwellSeconds: median(this.allRuns().map((packets) => (packets * WINDOW_MS) / 1_000)),
      notWinnerShare: share(this.notWinner, packets),
      states: sharesOf(this.states, livePackets),
      severityClasses: sharesOf(this.severityClasses, livePackets),
      highShare: share(high),
      severityVolatilityCorrelation: severity.correlation,
      correlatedPackets: severity.packets,
      forecastCorrelations: {
        lastMinute: this.validityTally.correlationWithNextMinute('volatility60'),
        lastFiveMinutes: this.validityTally.correlationWithNextMinute('volatility300'),
        har: this.validityTally.correlationWithNextMinute('har'),
      },
    };
  }

  /** Compares labels with the time that follows them, once packets and log have ended. */
  validity(): Validity {
    return this.validityTally.result();
  }
}

function isLive({ winner }: StabilitySample): boolean {
  return !RETAINED_STATES.has(winner);
}

function isRetained({ state }: StabilitySample): boolean {
  return RETAINED_STATES.has(state);
}

function addTo(counts: Map<string, number>, value: string, packets: number): void {
  counts.set(value, (counts.get(value) ?? 0) + packets);
}

function sharesOf(counts: ReadonlyMap<string, number>, total: number): readonly Share[] {
  return [...counts]
    .map(([value, packets]) => ({ value, share: packets / total }))
    .sort((a, b) => b.share - a.share || a.value.localeCompare(b.value));
}

function median(values: readonly number[]): number | null {
  if (values.length === 0) return null;
  const sorted = [...values].sort((a, b) => a - b);
  const upper = Math.floor(sorted.length / 2);
  return ((sorted[Math.ceil(sorted.length / 2) - 1] ?? 0) + (sorted[upper] ?? 0)) / 2;
}
