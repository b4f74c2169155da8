import { stateWord } from './palette';

/** Fill of a published state, as a CSS variable of the page. */
export function stateColor(state: string): string {
  return `var(--state-${stateWord(state)})`;
}

const SIDE_COLORS = { bid: 'var(--bid)', ask: 'var(--ask)', none: 'var(--ink-soft)' } as const;
export type Side = keyof typeof SIDE_COLORS;

/** The side that a class leans to, or its direction where the class names none: `bid` with bids or buyers, `ask` with asks or sellers. */
export function sideOf(eventClass: string, direction: string): Side {
  const leaning = /^(bid|ask)_/.test(eventClass) ? eventClass : direction;
  if (/^(bid|aggressive_buy)_/.test(leaning)) return 'bid';
  return /^(ask|aggressive_sell)_/.test(leaning) ? 'ask' : 'none';
}

/** Fill of a mark that leans to a side. */
export function sideColor(side: Side): string {
  return SIDE_COLORS[side];
}
