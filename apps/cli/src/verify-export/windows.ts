import { RowChain } from '@market-state/archive';

const HOUR_MS = 3_600_000;

/** A UTC hour of a symbol, or the part of it inside the span of the export: what one replay can cover. */
export interface Window {
  readonly startMs: number;
  readonly endMs: number;
}

/** The hours of a span, cut at its ends. */
function hoursOf(fromMs: number, toMs: number): readonly Window[] {
  const windows: Window[] = [];
  for (let hourMs = Math.floor(fromMs / HOUR_MS) * HOUR_MS; hourMs < toMs; hourMs += HOUR_MS)
    windows.push({ startMs: Math.max(hourMs, fromMs), endMs: Math.min(hourMs + HOUR_MS, toMs) });
  return windows;
}

/** Rows of a window, chained. */
export interface ChainedWindow extends Window {
  readonly rows: number;
  /** Rows that are not in the chain, since they cannot be turned back into their lines. */
  readonly unchecked: number;
  /** h0 is 32 zero bytes, h(n) = SHA-256(h(n-1), line n). */
  readonly sha256: string;
}

/** The rows of one symbol, chained over all of them and for each window. */
export interface ChainedSymbol {
  readonly symbol: string;
  readonly rows: number;
  readonly unchecked: number;
  readonly sha256: string;
  readonly windows: readonly ChainedWindow[];
}

interface Tally {
  readonly chain: RowChain;
  rows: number;
  unchecked: number;
}

function newTally(): Tally {
  return { chain: new RowChain(), rows: 0, unchecked: 0 };
}

/** Chains the rows of one symbol, in the order in which they come. */
export class SymbolChains {
  private readonly whole = newTally();
  private readonly windows: readonly Window[];
  private readonly tallies: readonly Tally[];

  constructor(
    private readonly symbol: string,
    private readonly fromMs: number,
    private readonly toMs: number,
  ) {
    this.windows = hoursOf(fromMs, toMs);
    this.tallies = this.windows.map(newTally);
  }

  /** Takes a row's line; undefined where it cannot be known. False when the row is outside the span. */
  add(timeMs: number, line: string | undefined): boolean {
    const isWithin = timeMs >= this.fromMs && timeMs < this.toMs;
    const tally = isWithin ? this.tallies[Math.floor(timeMs / HOUR_MS) - Math.floor(this.fromMs / HOUR_MS)] : undefined;
    const bytes = line === undefined ? undefined : Buffer.from(line, 'utf8');
    for (const each of tally === undefined ? [this.whole] : [this.whole, tally]) {
      each.rows += 1;
      if (bytes === undefined) each.unchecked += 1;
      else each.chain.add(bytes);
    }
    return tally !== undefined;
  }

  chained(): ChainedSymbol {
    const counts = ({ rows, unchecked, chain }: Tally) => ({ rows, unchecked, sha256: chain.hex() });
    return {
      symbol: this.symbol,
      ...counts(this.whole),
      windows: this.windows.map((window, index) => ({ ...window, ...counts(this.tallies[index] ?? newTally()) })),
    };
  }
}
