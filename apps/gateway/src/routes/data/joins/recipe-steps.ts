import { toUtc } from '../../../serving/meta/instant';
import { type ChannelJoin, fetchWindow } from './channel-joins';
import { candlesEstimate, type CreditEstimate, latestEstimate, replayEstimate } from './credit-estimates';
import type { JoinFetch } from './join-fetch';
import { type PacketWindow, replayBounds } from './packet-window';

/** What the recipe is to hold. */
export interface RecipeWishes {
  readonly symbol: string;
  readonly window: PacketWindow;
  /** Of the channels that the venue reports. */
  readonly joins: readonly ChannelJoin[];
  readonly includeTrades: boolean;
  readonly includeCandles: boolean;
  readonly depth: number;
  readonly limit: number;
}

/** One step: what to fetch, what for, and what it costs at most. */
export interface RecipeStep extends JoinFetch {
  readonly stepId: string;
  readonly purpose: string;
  readonly credits: CreditEstimate;
}

const DATA = '/api/public/data';
const MINUTE_MS = 60_000;

export const WINDOW_FILE = 'market_state_window.json';
export const CONTEXT_FILE = 'market_state_context.json';
export const CANDLE_FILE = 'market_state_candles.json';

/** Minutes that hold the window: from the one it begins in to the end of the one it ends in. */
function minutesOf({ startMs, endMs }: PacketWindow): { readonly fromMs: number; readonly toMs: number } {
  return { fromMs: Math.floor(startMs / MINUTE_MS) * MINUTE_MS, toMs: (Math.floor(endMs / MINUTE_MS) + 1) * MINUTE_MS };
}

function windowStep({ symbol, window, joins, includeTrades }: RecipeWishes): RecipeStep {
  const rows = joins.map(({ channel }) => channel).filter((channel) => channel !== 'context' && (channel !== 'trades' || includeTrades));
  return {
    stepId: 'window_rows',
    purpose: 'The packet and the rows of its window, in log order.',
    path: `${DATA}/replay/window`,
    parameters: { symbol, ...replayBounds(window), channels: [...rows, 'packets'].join(',') },
    output: WINDOW_FILE,
    credits: replayEstimate(),
  };
}

function contextStep({ symbol, window, joins }: RecipeWishes): RecipeStep[] {
  const context = joins.find(({ channel }) => channel === 'context');
  if (context === undefined) return [];
  return [
    {
      stepId: 'context_rows',
      purpose: 'Funding, open interest and mark price: the newest that held at the end of the window.',
      path: `${DATA}/replay/window`,
      parameters: { symbol, ...replayBounds(fetchWindow(context, window)), channels: 'context' },
      output: CONTEXT_FILE,
      credits: replayEstimate(),
    },
  ];
}

function candleStep({ symbol, window }: RecipeWishes): RecipeStep {
  const { fromMs, toMs } = minutesOf(window);
  return {
    stepId: 'candles',
    purpose: 'The one-minute candles that the window lies in.',
    path: `${DATA}/candles`,
    parameters: { symbol, tf: '1m', from: toUtc(fromMs), to: toUtc(toMs) },
    output: CANDLE_FILE,
    credits: candlesEstimate((toMs - fromMs) / MINUTE_MS),
  };
}

/** The steps in order: first what is joined, then what is there now, to compare with. */
export function recipeSteps(wishes: RecipeWishes): RecipeStep[] {
  const { symbol, depth, limit, joins, includeTrades, includeCandles } = wishes;
  const reports = (name: string) => joins.some(({ channel }) => channel === name);
  const book: RecipeStep = {
    stepId: 'book_now',
    purpose: 'The book as it is now, to the depth asked for, to compare with that of the window.',
    path: `${DATA}/book/l2/latest`,
    parameters: { symbol, depth },
    output: 'market_state_book_now.json',
    credits: latestEstimate('depth', depth),
  };
  const trades: RecipeStep = {
    stepId: 'trades_now',
    purpose: 'The newest trades, to compare with those of the window.',
    path: `${DATA}/trades/latest`,
    parameters: { symbol, limit },
    output: 'market_state_trades_now.json',
    credits: latestEstimate('limit', limit),
  };
  return [
    windowStep(wishes),
    ...contextStep(wishes),
    ...(includeCandles && reports('trades') ? [candleStep(wishes)] : []),
    ...(reports('book') ? [book] : []),
    ...(includeTrades && reports('trades') ? [trades] : []),
  ];
}
