import { markImage, type Mark } from './marks';

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

/** A reader's setting. */
export type Theme = 'dark' | 'light';

/** What a state is drawn with: a hue in each theme, and a mark that tells it apart where hues do not. */
interface StateStyle {
  readonly dark: string;
  readonly light: string;
  readonly mark: Mark;
}

/**
 * States that read the market, in the order of legends. Their hues stay apart under protanopia, deuteranopia and tritanopia; none is green
 * or red, since no state is good or bad. What is routine is the quietest.
 */
export const STATE_STYLES = {
  pressure_building: { dark: '#4338ef', light: '#2e35e0', mark: 'slash' },
  depth_watch: { dark: '#64b4ee', light: '#5aa0c8', mark: 'ring' },
  flow_shift_watch: { dark: '#dfbc49', light: '#d9b714', mark: 'dot' },
  fragile_depth_watch: { dark: '#e03fa6', light: '#a3216f', mark: 'cross' },
  crowding_shift: { dark: '#ddd3f2', light: '#ad78f5', mark: 'backslash' },
  crowding_persistent: { dark: '#8e2cb8', light: '#571090', mark: 'rule' },
  regime_transition_candidate: { dark: '#95845c', light: '#855f31', mark: 'bar' },
  market_state_watch: { dark: '#444b55', light: '#d4d8dc', mark: 'plain' },
} as const satisfies Readonly<Record<string, StateStyle>>;

/** States that say nothing of the market are drawn as holes: paper with a hatch. */
const HOLE: StateStyle = { dark: '#171d25', light: '#f2f4f6', mark: 'hole' };

/** How a state is drawn; one that this version does not know as the routine one. */
export function stateStyle(state: string): StateStyle {
  if (state === 'insufficient_evidence' || state === 'replay_context_ready') return HOLE;
  return (STATE_STYLES as Readonly<Record<string, StateStyle>>)[state] ?? STATE_STYLES.market_state_watch;
}

/** Hues of the two sides; words stand beside them wherever they are used. */
export const SIDE_HUES = {
  dark: { bid: '#4f9be6', ask: '#e98a2b' },
  light: { bid: '#1f6fc2', ask: '#a35000' },
} as const satisfies Readonly<Record<Theme, Readonly<Record<string, string>>>>;

/** CSS declarations of a theme's hues and marks: `--state-<word>`, `--mark-<word>`, `--hole`, `--bid`, `--ask`. */
export function paletteDeclarations(theme: Theme): string {
  const states = [...Object.entries(STATE_STYLES), ['hole', HOLE] as const];
  const hues = states.map(([state, style]) => `--state-${state}:${style[theme]};--mark-${state}:${markImage(style.mark, style[theme])};`);
  return `${hues.join('')}--bid:${SIDE_HUES[theme].bid};--ask:${SIDE_HUES[theme].ask};`;
}

/** Name of a state in `--state-<word>` and in the class `state-<word>`. */
export function stateWord(state: string): string {
  const style = stateStyle(state);
  if (style === HOLE) return 'hole';
  return state in STATE_STYLES ? state : 'market_state_watch';
}

/** CSS rules that fill whatever has the class `state-<word>`. */
export function stateRules(): string {
  return [...Object.keys(STATE_STYLES), 'hole']
    .map((word) => `.state-${word}{background-color:var(--state-${word});background-image:var(--mark-${word})}`)
    .join('\n');
}
