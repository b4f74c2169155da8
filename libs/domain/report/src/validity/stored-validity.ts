import { WINDOW_MS } from '@market-state/market-data';
import { RETAINED_STATES } from '@market-state/packet-figures';
import { PacketTable } from './packet-table';
import type { Steps } from './bootstrap';
import { severityValidity, type SeverityValidity } from './severity-validity';
import { JUDGED_STATES, stateLifts, type StateLift } from './state-validity';
import { harForecast, HIGH_CLASSES } from './validity-tally';

/** Fewer than in a report, because an API response waits for them. */
const DRAWS = 100;
const MINUTE = 60_000 / WINDOW_MS;

/** Packet fields stored in the event index. */
export interface StoredLabel {
  readonly windowEndMs: number;
  readonly state: string;
  readonly winner: string;
  readonly severity: number;
  readonly severityClass: string;
  /** Null without a book. */
  readonly mid: number | null;
}

export interface StoredValidity {
  readonly severity: SeverityValidity | null;
  readonly severityWithHar: SeverityValidity | null;
  /** Only for outcomes that follow from prices. */
  readonly states: readonly StateLift[];
}

/**
 * Validity from only the packets of one symbol, oldest first. Unlike in `ValidityTally`, a return compares a packet's mid
 * with that of the previous window, so a minute has six; outcomes of the book and of trades are unknown.
 */
export function* storedValidity(labels: readonly StoredLabel[]): Steps<StoredValidity> {
  const prices = new PacketPrices(labels);
  const table = new PacketTable();
  for (const [index, { windowEndMs, state, winner, severity, severityClass }] of labels.entries()) {
    if (RETAINED_STATES.has(winner)) continue;
    const [last, next] = [
      (packets: number) => prices.volatility(index, packets),
      (packets: number) => prices.volatility(index + packets, packets),
    ];
    table.add({
      windowEndMs,
      severity,
      high: HIGH_CLASSES.has(severityClass) ? 1 : 0,
      state: (JUDGED_STATES as readonly string[]).indexOf(state),
      volatilityNext60: next(MINUTE),
      volatilityNext900: next(15 * MINUTE),
      volatility60: last(MINUTE),
      volatility300: last(5 * MINUTE),
      volatility900: last(15 * MINUTE),
      volatility3600: last(60 * MINUTE),
      har: harForecast([last(1), last(MINUTE), last(5 * MINUTE), last(30 * MINUTE)]),
      moveNext60: prices.move(index + MINUTE, MINUTE),
    });
  }
  yield;
  return {
    severity: yield* severityValidity(table, false, DRAWS),
    severityWithHar: yield* severityValidity(table, true, DRAWS),
    states: yield* stateLifts(table, true, PRICE_OUTCOMES, DRAWS),
  };
}

const PRICE_OUTCOMES: ReadonlySet<string> = new Set(['absolute_price_move', 'volatility_of_900s_over_3600s']);

/** Running sums over the packets' returns; a span with an unknown return is unknown. */
class PacketPrices {
  private readonly squares: Float64Array;
  private readonly logarithms: Float64Array;
  /** Returns up to each packet that are unknown. */
  private readonly unknown: Uint32Array;

  constructor(labels: readonly StoredLabel[]) {
    this.squares = new Float64Array(labels.length);
    this.logarithms = Float64Array.from(labels, ({ mid }) => Math.log(mid ?? Number.NaN));
    this.unknown = new Uint32Array(labels.length);
    for (let index = 1; index < labels.length; index++) {
      const adjoins = (labels[index]?.windowEndMs ?? 0) - (labels[index - 1]?.windowEndMs ?? 0) === WINDOW_MS;
      const change = (this.logarithms[index] ?? 0) - (this.logarithms[index - 1] ?? 0);
      const known = adjoins && !Number.isNaN(change);
      this.squares[index] = (this.squares[index - 1] ?? 0) + (known ? change * change : 0);
      this.unknown[index] = (this.unknown[index - 1] ?? 0) + (known ? 0 : 1);
    }
  }

  private isKnown(last: number, packets: number): boolean {
    return last >= packets && last < this.unknown.length && this.unknown[last] === this.unknown[last - packets];
  }

  volatility(last: number, packets: number): number {
    if (!this.isKnown(last, packets)) return Number.NaN;
    return Math.sqrt(Math.max(0, (this.squares[last] ?? 0) - (this.squares[last - packets] ?? 0)));
  }

  move(last: number, packets: number): number {
    return this.isKnown(last, packets) ? Math.abs((this.logarithms[last] ?? 0) - (this.logarithms[last - packets] ?? 0)) : Number.NaN;
  }
}
