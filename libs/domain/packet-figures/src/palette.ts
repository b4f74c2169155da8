/** Recognisable without colour. */
type Mark = 'plain' | 'slash' | 'backslash' | 'cross' | 'dot' | 'ring' | 'rule' | 'bar' | 'hole';

export const TILE = 8;

const PATHS: Readonly<Record<Mark, string>> = {
  plain: '',
  slash: 'M-2 2L2 -2M0 8L8 0M6 10L10 6',
  backslash: 'M-2 6L2 10M0 0L8 8M6 -2L10 2',
  cross: 'M0 0L8 8M0 8L8 0',
  dot: 'M2.5 4a1.5 1.5 0 1 0 3 0a1.5 1.5 0 1 0 -3 0Z',
  ring: 'M1.6 4a2.4 2.4 0 1 0 4.8 0a2.4 2.4 0 1 0 -4.8 0Z',
  rule: 'M0 2H8M0 6H8',
  bar: 'M2 0V8M6 0V8',
  hole: 'M-2 2L2 -2M0 8L8 0M6 10L10 6',
};

/** SVG path of one tile, filled or stroked. */
export function markTile(mark: Mark): { readonly path: string; readonly isFilled: boolean } {
  return { path: PATHS[mark], isFilled: mark === 'dot' };
}

/** Ink (`#rrggbb`) of a mark: dark on light hues, light on dark ones, grey in a gap. */
export function markInk(mark: Mark, hue: string): string {
  if (mark === 'hole') return '#7d8894';
  return lightnessOf(hue) > 0.3 ? '#10151b' : '#ffffff';
}

export const MARK_OPACITY = 0.5;

/** CSS background image; `none` for the plain mark. */
export function markImage(mark: Mark, hue: string): string {
  const { path, isFilled } = markTile(mark);
  if (path === '') return 'none';
  const ink = markInk(mark, hue);
  const paint = isFilled ? `fill='${ink}'` : `fill='none' stroke='${ink}' stroke-width='1'`;
  const svg = `<svg xmlns='http://www.w3.org/2000/svg' width='${TILE}' height='${TILE}'><path d='${path}' opacity='${MARK_OPACITY}' ${paint}/></svg>`;
  return `url("data:image/svg+xml,${svg.replace(/[<>#]/g, encodeURIComponent)}")`;
}

/** Relative luminance, 0 to 1. */
export function lightnessOf(hue: string): number {
  const [red = 0, green = 0, blue = 0] = linearOf(hue);
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** Linear red, green and blue, each 0 to 1. */
export function linearOf(hue: string): readonly number[] {
  return [1, 3, 5].map((at) => {
    const share = Number.parseInt(hue.slice(at, at + 2), 16) / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
}

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

/** Unknown states use the routine style. */
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

/** Name in `--state-<word>` and in the class `state-<word>`. */
export function stateWord(state: string): string {
  const style = stateStyle(state);
  if (style === HOLE) return 'hole';
  return state in STATE_STYLES ? state : 'market_state_watch';
}

export function stateRules(): string {
  return [...Object.keys(STATE_STYLES), 'hole']
    .map((word) => `.state-${word}{background-color:var(--state-${word});background-image:var(--mark-${word})}`)
    .join('\n');
}
