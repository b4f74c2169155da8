import type { Dataset } from '@market-state/export-schema';
import { count, instant } from '../io/instant';
import type { MarketState, Params } from '@market-state/client';
import { isAnswer } from '../client/open-service';
import type { ChainedSymbol, ChainedWindow } from './windows';

/** How the windows of a symbol compare with the receipts of the API. */
export interface WindowComparison {
  readonly equal: number;
  readonly different: number;
  /** Windows without a row, of which the API keeps nothing either. */
  readonly empty: number;
  /** Windows that could not be compared: with unchecked rows, or no longer kept. */
  readonly notCompared: number;
  /** The first window that differs; undefined where none does. */
  readonly firstDifference?: string;
  /** Why the first window that could not be compared was not. */
  readonly firstReason?: string;
}

interface Receipt {
  readonly rows_sent: number;
  readonly rows_sha256: string;
  readonly reasons: readonly string[];
}

/** Status of what is no longer kept, or never was. */
const GONE = 410;

/** Reasons for which a receipt does not cover what is recorded. */
const NOT_WHOLE = ['archive_unreadable', 'packets_unreachable', 'rows_missing', 'before_retention'];

/** Asks the API for a replay of every window of a symbol and compares the digests over the rows. */
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
    if (missing.length > 0) return { outcome: 'notCompared', sentence: `the API's answer is not whole (${missing.join(', ')})` };
    return {
      outcome: 'different',
      sentence: `${count(rows)} rows with chain ${sha256}; the API has ${count(receipt.rows_sent)} with ${receipt.rows_sha256}`,
    };
  } catch (error) {
    if (!isAnswer(error)) throw error;
    if (error.status === GONE && rows === 0) return { outcome: 'empty', sentence: '' };
    return { outcome: 'notCompared', sentence: `the API answers ${error.status}: ${error.detail}` };
  }
}

/** The receipt on the last page of a replay, which is over all its pages. */
async function receiptOf(ms: MarketState, query: Params<'getReplayWindow'>, signal: AbortSignal): Promise<Receipt> {
  let receipt: Receipt | undefined;
  for await (const { data } of ms.replayWindow.rows(query, { signal }).pages()) receipt = data.completeness;
  if (receipt === undefined) throw new TypeError('a replay has at least one page');
  return receipt;
}

function spanOf({ startMs, endMs }: ChainedWindow): string {
  return `${instant(startMs)} to ${instant(endMs)}`;
}
