import { MARK_OPACITY, markInk, markTile, stateStyle, TILE, type Theme } from '@market-state/packet-figures';

type Ink = string | CanvasPattern;

const inks = new Map<string, Ink>();

/** Canvas fill of a state, with its mark. */
export function stateInk(context: CanvasRenderingContext2D, state: string, theme: Theme): Ink {
  const ratio = devicePixelRatio;
  const key = `${state} ${theme} ${ratio}`;
  const known = inks.get(key);
  if (known !== undefined) return known;
  const style = stateStyle(state);
  const made = patternOf(context, style[theme], style.mark, ratio) ?? style[theme];
  inks.set(key, made);
  return made;
}

export function unreadInk(context: CanvasRenderingContext2D, theme: Theme): Ink {
  const ratio = devicePixelRatio;
  const key = `unread ${theme} ${ratio}`;
  const known = inks.get(key);
  if (known !== undefined) return known;
  const tile = document.createElement('canvas');
  tile.width = Math.round(DOT_EVERY * ratio);
  tile.height = tile.width;
  const paint = tile.getContext('2d');
  if (paint === null) return 'transparent';
  paint.fillStyle = DOT[theme];
  paint.fillRect(0, 0, Math.round(2 * ratio), Math.round(2 * ratio));
  const made = context.createPattern(tile, 'repeat') ?? 'transparent';
  inks.set(key, made);
  return made;
}

const DOT_EVERY = 6;
const DOT: Readonly<Record<Theme, string>> = { dark: '#8190a0', light: '#5d6b7a' };

function patternOf(
  context: CanvasRenderingContext2D,
  hue: string,
  mark: Parameters<typeof markTile>[0],
  ratio: number,
): CanvasPattern | null {
  const { path, isFilled } = markTile(mark);
  const tile = document.createElement('canvas');
  const sizePx = Math.round(TILE * ratio);
  tile.width = sizePx;
  tile.height = sizePx;
  const paint = tile.getContext('2d');
  if (paint === null) return null;
  paint.fillStyle = hue;
  paint.fillRect(0, 0, sizePx, sizePx);
  paint.scale(sizePx / TILE, sizePx / TILE);
  paint.globalAlpha = MARK_OPACITY;
  paint.fillStyle = markInk(mark, hue);
  paint.strokeStyle = markInk(mark, hue);
  const shape = new Path2D(path);
  if (isFilled) paint.fill(shape);
  else paint.stroke(shape);
  return context.createPattern(tile, 'repeat');
}
