import { markImage, type Mark } from './marks';

/** Fill of a state, as a CSS variable. */
export function stateColor(state: string): string {
  return `var(--state-${stateWord(state)})`;
}

const SIDE_COLORS = { bid: 'var(--bid)', ask: 'var(--ask)', none: 'var(--ink-soft)' } as const;
export type Side = keyof typeof SIDE_COLORS;

/** Side of a class, or of its direction if the class has none: `bid` for bids or buyers, `ask` for asks or sellers. */
export function sideOf(eventClass: string, direction: string): Side {
  const leaning = /^(bid|ask)_/.test(eventClass) ? eventClass : direction;
  if (/^(bid|aggressive_buy)_/.test(leaning)) return 'bid';
  return /^(ask|aggressive_sell)_/.test(leaning) ? 'ask' : 'none';
}

export function sideColor(side: Side): string {
  return SIDE_COLORS[side];
}

export type Theme = 'dark' | 'light';

/** Hue per theme, and a mark for readers who cannot distinguish hues. */
interface StateStyle {
  readonly dark: string;
  readonly light: string;
  readonly mark: Mark;
}

/**
 * States that describe the market, in legend order. Hues stay distinct under protanopia, deuteranopia and tritanopia.
 * None is green or red, because no state is good or bad; the routine state is the quietest.
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

const HOLE: StateStyle = { dark: '#171d25', light: '#f2f4f6', mark: 'hole' };

/** Style of a state; unknown states use the routine style. */
export function stateStyle(state: string): StateStyle {
  if (state === 'insufficient_evidence' || state === 'replay_context_ready') return HOLE;
  return (STATE_STYLES as Readonly<Record<string, StateStyle>>)[state] ?? STATE_STYLES.market_state_watch;
}

export const SIDE_HUES = {
  dark: { bid: '#4f9be6', ask: '#e98a2b' },
  light: { bid: '#1f6fc2', ask: '#a35000' },
} as const satisfies Readonly<Record<Theme, Readonly<Record<string, string>>>>;

/** CSS declarations of a theme: `--state-<word>`, `--mark-<word>`, `--hole`, `--bid`, `--ask`. */
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

/** CSS rules that fill elements of class `state-<word>`. */
export function stateRules(): string {
  return [...Object.keys(STATE_STYLES), 'hole']
    .map((word) => `.state-${word}{background-color:var(--state-${word});background-image:var(--mark-${word})}`)
    .join('\n');
}
