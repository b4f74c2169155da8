import { MARK_OPACITY, markInk, markTile, TILE, stateStyle } from './palette';
import { escape } from './text';

interface BadgeReading {
  /** Null if the packet is no longer shown. */
  readonly state: string | null;
  readonly text: string;
}

const HEIGHT = 20;
const SWATCH = 20;
const PADDING = 7;
const INVITATION = 'check it';
/** Assumed character width at 11 px; `textLength` fits the text to it in any font. */
const CHARACTER = 6.2;

const widthOf = (text: string): number => Math.ceil(text.length * CHARACTER);

/** Renders a badge that links to a packet: a standalone SVG without styles, scripts or fonts. */
export function badgeChart({ state, text }: BadgeReading): string {
  const [textWidth, invitationWidth] = [widthOf(text), widthOf(INVITATION)];
  const textStart = SWATCH + PADDING;
  const split = textStart + textWidth + PADDING;
  const width = split + PADDING + invitationWidth + PADDING;
  const { light: hue, mark } = stateStyle(state ?? 'insufficient_evidence');
  const { path, isFilled } = markTile(mark);
  const ink = markInk(mark, hue);
  const paint = isFilled ? `fill="${ink}"` : `fill="none" stroke="${ink}"`;
  const word = (at: number, length: number, fill: string, said: string): string =>
    `<text x="${at}" y="14" textLength="${length}" lengthAdjust="spacingAndGlyphs" fill="${fill}">${escape(said)}</text>`;
  const title = escape(`Market state: ${text}; ${INVITATION}`);
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${HEIGHT}" role="img" aria-label="${title}"><title>${title}</title>
<defs><pattern id="m" width="${TILE}" height="${TILE}" patternUnits="userSpaceOnUse"><path d="${path}" opacity="${MARK_OPACITY}" ${paint}/></pattern></defs>
<rect width="${width}" height="${HEIGHT}" rx="3" fill="#1b222b"/>
<rect width="${SWATCH}" height="${HEIGHT}" rx="3" fill="${hue}"/><rect width="${SWATCH}" height="${HEIGHT}" rx="3" fill="url(#m)"/>
<rect x="${split}" y="0" width="1" height="${HEIGHT}" fill="#56616d"/>
<g font-family="Verdana, DejaVu Sans, sans-serif" font-size="11">${word(textStart, textWidth, '#ffffff', text)}${word(split + PADDING, invitationWidth, '#c9d4df', INVITATION)}</g>
</svg>
`;
}
