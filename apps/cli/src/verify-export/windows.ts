import { RowChain } from '@market-state/archive';
import type { MarketState, Params } from '@market-state/client';
import type { Dataset } from '@market-state/export-schema';
import { count, instant } from '../io/instant';
import { isAnswer } from '../client/open-service';

/** Comparison of a symbol's windows with the receipts of the API. */
export interface WindowComparison {
  readonly equal: number;
  readonly different: number;
  /** Windows without rows, here and in the API. */
  readonly empty: number;
  /** Windows that could not be compared: unchecked rows, or past retention. */
  readonly notCompared: number;
  readonly firstDifference?: string;
  /** Reason the first uncompared window was not compared. */
  readonly firstReason?: string;
}

interface Receipt {
  readonly rows_sent: number;
  readonly rows_sha256: string;
  readonly reasons: readonly string[];
}

/** Past retention, or never stored. */
const GONE = 410;

/** Reasons that make a receipt incomplete. */
const NOT_WHOLE = ['archive_unreadable', 'packets_unreachable', 'rows_missing', 'before_retention'];

export async function compareWindows(
  ms: MarketState,
  dataset: Dataset,
  asOfMs: number,
  { symbol, windows }: ChainedSymbol,
  onWindow: (window: ChainedWindow) => void,
  signal: AbortSignal,
): Promise<WindowComparison> {
  const found = { equal: 0, different: 0, empty: 0, notCompared: 0 };
  let firstDifference: string | undefined;
  let firstReason: string | undefined;
  for (const window of windows) {
    onWindow(window);
    const { outcome, sentence } = await compareWindow(ms, dataset, asOfMs, symbol, window, signal);
    found[outcome] += 1;
    if (outcome === 'different') firstDifference ??= `${spanOf(window)}: ${sentence}`;
    if (outcome === 'notCompared') firstReason ??= `${spanOf(window)}: ${sentence}`;
  }
  return { ...found, firstDifference, firstReason };
}

interface Outcome {
  readonly outcome: 'equal' | 'different' | 'empty' | 'notCompared';
  readonly sentence: string;
}

async function compareWindow(
  ms: MarketState,
  channel: string,
  asOfMs: number,
  symbol: string,
  window: ChainedWindow,
  signal: AbortSignal,
): Promise<Outcome> {
  const { rows, unchecked, sha256, startMs, endMs } = window;
  if (unchecked > 0) return { outcome: 'notCompared', sentence: `${count(unchecked)} of its rows cannot be checked` };
  try {
    const query = { symbol, channels: channel, start: String(startMs), end: String(endMs), as_of: String(asOfMs) };
    const receipt = await receiptOf(ms, query, signal);
    if (receipt.rows_sent === rows && receipt.rows_sha256 === sha256) return { outcome: 'equal', sentence: '' };
    const missing = receipt.reasons.filter((reason) => NOT_WHOLE.includes(reason));
    if (missing.length > 0) return { outcome: 'notCompared', sentence: `the answer of the API is incomplete (${missing.join(', ')})` };
    return {
      outcome: 'different',
      sentence: `${count(rows)} rows with chain ${sha256}; the API has ${count(receipt.rows_sent)} with ${receipt.rows_sha256}`,
    };
  } catch (error) {
    if (!isAnswer(error)) throw error;
    if (error.status === GONE && rows === 0) return { outcome: 'empty', sentence: '' };
    return { outcome: 'notCompared', sentence: `the API returned ${error.status}: ${error.detail}` };
  }
}

/** The receipt on the last page covers all pages of a replay. */
async function receiptOf(ms: MarketState, query: Params<'getReplayWindow'>, signal: AbortSignal): Promise<Receipt> {
  let receipt: Receipt | undefined;
  for await (const { data } of ms.replayWindow.rows(query, { signal }).pages()) receipt = data.completeness;
  if (receipt === undefined) throw new TypeError('a replay has at least one page');
  return receipt;
}

function spanOf({ startMs, endMs }: ChainedWindow): string {
  return `${instant(startMs)} to ${instant(endMs)}`;
}

const HOUR_MS = 3_600_000;

/** UTC hour of a symbol, clipped to the span of the export; one replay covers it. */
interface Window {
  readonly startMs: number;
  readonly endMs: number;
}

function hoursOf(fromMs: number, toMs: number): readonly Window[] {
  const windows: Window[] = [];
  for (let hourMs = Math.floor(fromMs / HOUR_MS) * HOUR_MS; hourMs < toMs; hourMs += HOUR_MS)
    windows.push({ startMs: Math.max(hourMs, fromMs), endMs: Math.min(hourMs + HOUR_MS, toMs) });
  return windows;
}

interface ChainedWindow extends Window {
  readonly rows: number;
  /** Rows left out of the chain because they can't be converted back to lines. */
  readonly unchecked: number;
  /** h0 is 32 zero bytes, h(n) = SHA-256(h(n-1), line n). */
  readonly sha256: string;
}

/** Rows of one symbol, chained over the whole span and per window. */
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

/** Chains the rows of one symbol in the order they arrive. */
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

  /** Adds a row's line, or undefined if it is unknown. Returns false if the row is outside the span. */
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
