/** Pattern over a hue, recognisable without colour. */
export type Mark = 'plain' | 'slash' | 'backslash' | 'cross' | 'dot' | 'ring' | 'rule' | 'bar' | 'hole';

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

/** SVG path of one tile, and whether it is filled instead of stroked. */
export function markTile(mark: Mark): { readonly path: string; readonly isFilled: boolean } {
  return { path: PATHS[mark], isFilled: mark === 'dot' };
}

/** Ink (`#rrggbb`) of a mark: dark on light hues, light on dark ones, grey in a gap. */
export function markInk(mark: Mark, hue: string): string {
  if (mark === 'hole') return '#7d8894';
  return lightnessOf(hue) > 0.3 ? '#10151b' : '#ffffff';
}

export const MARK_OPACITY = 0.5;

/** Mark as a CSS background image; `none` for the plain one. */
export function markImage(mark: Mark, hue: string): string {
  const { path, isFilled } = markTile(mark);
  if (path === '') return 'none';
  const ink = markInk(mark, hue);
  const paint = isFilled ? `fill='${ink}'` : `fill='none' stroke='${ink}' stroke-width='1'`;
  const svg = `<svg xmlns='http://www.w3.org/2000/svg' width='${TILE}' height='${TILE}'><path d='${path}' opacity='${MARK_OPACITY}' ${paint}/></svg>`;
  return `url("data:image/svg+xml,${svg.replace(/[<>#]/g, encodeURIComponent)}")`;
}

/** Relative luminance of `#rrggbb`, 0 to 1. */
export function lightnessOf(hue: string): number {
  const [red = 0, green = 0, blue = 0] = linearOf(hue);
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** Linear red, green and blue of `#rrggbb`, each 0 to 1. */
export function linearOf(hue: string): readonly number[] {
  return [1, 3, 5].map((at) => {
    const share = Number.parseInt(hue.slice(at, at + 2), 16) / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
}
