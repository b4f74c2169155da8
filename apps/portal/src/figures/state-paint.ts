import { MARK_OPACITY, markInk, markTile, stateStyle, TILE, type Theme } from '@market-state/packet-figures';

type Ink = string | CanvasPattern;

const inks = new Map<string, Ink>();

/** What a canvas fills the span of a state with: its hue and its mark, as they are everywhere. */
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
