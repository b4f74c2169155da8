import type { MarketEvent } from '@market-state/market-data';
import type { ReportSample } from '@market-state/packet-figures';
import { runSteps } from './bootstrap';
import { rankCorrelation, indexesWhere, pick } from './ranks';
import { PacketTable, type Column } from './packet-table';
import { SecondSeries } from './second-series';
import { severityValidity, type SeverityValidity } from './severity-validity';
import { JUDGED_STATES, stateLifts, type StateLift } from './state-validity';

const SECOND_MS = 1_000;
/** The longest span after a packet that is measured. */
const AHEAD_SECONDS = 900;
const FIRST_PACKETS = 180;
export const HIGH_CLASSES: ReadonlySet<string> = new Set(['high_context', 'critical_context']);
const SIDES: Readonly<Record<string, number>> = { bid: 1, buy: 1, ask: -1, sell: -1 };

/** Heterogeneous autoregression of volatility: weights of the logarithms by span in seconds. */
const HAR_WEIGHTS = [
  [10, 0.09],
  [60, 0.12],
  [300, 0.38],
  [1_800, 0.54],
] as const;
const HAR_FLOOR = 1e-6;

export type ValiditySample = Pick<ReportSample, 'windowEndMs' | 'state' | 'severity' | 'severityClass' | 'composites'>;

/** Rank correlation with the next minute's volatility, and over how many packets; null if one side is constant. */
export interface PacketCorrelation {
  readonly correlation: number | null;
  readonly packets: number;
}

/** Validity of a symbol's labels: live packets against the time that follows them. */
export interface Validity {
  readonly severity: SeverityValidity | null;
  /** The same on those packets that have a HAR forecast. */
  readonly severityWithHar: SeverityValidity | null;
  readonly states: readonly StateLift[];
  /** The first 180 live packets, or as many as there are. */
  readonly firstHalfHour: { readonly packets: number; readonly highShare: number | null };
}

/**
 * Measures live packets, oldest first, against the log around them. Stores 28 numbers per packet and two hours of
 * seconds. A packet is measured once the log is 900 s past it; entries may come before or after their packets, but not
 * by more than 40 minutes.
 */
export class ValidityTally {
  private readonly series = new SecondSeries();
  readonly table = new PacketTable();
  private hasContext = false;
  /** First packet that is not measured yet. */
  private nextRow = 0;

  addEntry(entry: MarketEvent): void {
    if (entry.kind === 'book') this.series.addBook(entry);
    else if (entry.kind === 'trade')
      this.series.addTrade(entry.exchangeTsMs, Number(entry.price) * Number(entry.size), entry.aggressorSide);
    else if (entry.kind === 'context') this.hasContext ||= entry.fundingRate !== undefined || entry.openInterest !== undefined;
    else if (entry.kind === 'feed_status' && entry.status.type === 'seam') this.series.cut();
    if (entry.kind === 'book') this.measureUntil((windowEndMs) => this.series.isPast(windowEndMs + AHEAD_SECONDS * SECOND_MS));
  }

  addPacket(sample: ValiditySample): void {
    const { windowEndMs, severity, severityClass, state, composites } = sample;
    this.table.add({
      windowEndMs,
      severity,
      high: HIGH_CLASSES.has(severityClass) ? 1 : 0,
      state: (JUDGED_STATES as readonly string[]).indexOf(state),
      bookSide: SIDES[composites.pressure.side] ?? 0,
      flowSide: SIDES[composites.flow.side] ?? 0,
    });
  }

  private measureUntil(isComplete: (windowEndMs: number) => boolean): void {
    for (; this.nextRow < this.table.length; this.nextRow++) {
      const windowEndMs = this.table.column('windowEndMs')[this.nextRow] ?? 0;
      if (!isComplete(windowEndMs)) return;
      this.table.set(this.nextRow, measure(this.series, windowEndMs));
    }
  }

  include(other: ValidityTally): void {
    this.table.include(other.table);
    this.nextRow = this.table.length;
    this.hasContext ||= other.hasContext;
  }

  /** Measures the last packets with what the log has. */
  end(): void {
    this.series.end();
    this.measureUntil(() => true);
  }

  /** On the packets that have both values. */
  correlationWithNextMinute(name: Column): PacketCorrelation {
    const [values, outcomes] = [this.table.column(name), this.table.column('volatilityNext60')];
    const rows = indexesWhere(this.table.length, (row) => !Number.isNaN(values[row]) && !Number.isNaN(outcomes[row]));
    return { correlation: rankCorrelation(pick(values, rows), pick(outcomes, rows)), packets: rows.length };
  }

  /** Once packets and log have ended. */
  result(): Validity {
    this.end();
    const first = this.table.column('high').subarray(0, FIRST_PACKETS);
    return {
      severity: runSteps(severityValidity(this.table, false)),
      severityWithHar: runSteps(severityValidity(this.table, true)),
      states: runSteps(stateLifts(this.table, this.hasContext)),
      firstHalfHour: {
        packets: first.length,
        highShare: first.length === 0 ? null : first.reduce((sum, high) => sum + high, 0) / first.length,
      },
    };
  }
}

function measure(series: SecondSeries, windowEndMs: number): Partial<Record<Column, number>> {
  const minuteEndMs = windowEndMs + 60 * SECOND_MS;
  const [volatility10 = NaN, volatility60 = NaN, volatility300 = NaN, volatility900 = NaN, volatility1800 = NaN, volatility3600 = NaN] =
    series.volatilities(windowEndMs, [10, 60, 300, 900, 1_800, 3_600]);
  const [next, last, longer] = [series.market(minuteEndMs, 60), series.market(windowEndMs, 60), series.market(windowEndMs, 300)];
  const middle = series.market(windowEndMs, 180);
  const [volatilityNext60 = NaN] = series.volatilities(minuteEndMs, [60]);
  const [volatilityNext900 = NaN] = series.volatilities(windowEndMs + AHEAD_SECONDS * SECOND_MS, [AHEAD_SECONDS]);
  return {
    volatilityNext60,
    volatilityNext900,
    volatility60,
    volatility300,
    volatility900,
    volatility3600,
    har: harForecast([volatility10, volatility60, volatility300, volatility1800]),
    moveNext60: next?.move,
    imbalanceNext60: next?.imbalance,
    imbalance60: last?.imbalance,
    imbalance180: middle?.imbalance,
    imbalance300: longer?.imbalance,
    netTradedNext60: next?.netTraded,
    netTraded60: last?.netTraded,
    netTraded180: middle?.netTraded,
    netTraded300: longer?.netTraded,
    notionalNext60: next?.notional,
    notional60: last?.notional,
    notional300: longer?.notional,
    spreadNext60: next?.widestSpreadBps,
    spread60: last?.widestSpreadBps,
    spread300: longer?.widestSpreadBps,
  };
}

/** Volatilities of the spans of `HAR_WEIGHTS`, each scaled to one minute. */
export function harForecast(volatilities: readonly number[]): number {
  let logarithm = 0;
  for (const [index, [seconds, weight]] of HAR_WEIGHTS.entries())
    logarithm += weight * Math.log(Math.max((volatilities[index] ?? Number.NaN) * Math.sqrt(60 / seconds), HAR_FLOOR));
  return Math.exp(logarithm);
}
