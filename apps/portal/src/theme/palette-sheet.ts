import { paletteDeclarations, stateRules } from '@market-state/packet-figures';

/** Gives the document the hues and marks that packets are drawn in everywhere. */
export function adoptPalette(): void {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(`:root{${paletteDeclarations('dark')}}\n:root[data-theme=light]{${paletteDeclarations('light')}}\n${stateRules()}`);
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
}
