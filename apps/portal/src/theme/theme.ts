import { type Theme, paletteDeclarations, stateRules } from '@market-state/packet-figures';
import { useSyncExternalStore } from 'react';

/** Gives the document the hues and marks that packets are drawn in everywhere. */
export function adoptPalette(): void {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(`:root{${paletteDeclarations('dark')}}\n:root[data-theme=light]{${paletteDeclarations('light')}}\n${stateRules()}`);
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
}

const KEY = 'theme';

/** The theme in force. */
export function currentTheme(): Theme {
  return document.documentElement.dataset['theme'] === 'light' ? 'light' : 'dark';
}

function watch(changed: () => void): () => void {
  const observer = new MutationObserver(changed);
  observer.observe(document.documentElement, { attributeFilter: ['data-theme'] });
  return () => observer.disconnect();
}

export function useTheme(): Theme {
  return useSyncExternalStore(watch, currentTheme);
}

/** Sets the theme, and keeps it for the next visit where the browser allows it. */
export function chooseTheme(theme: Theme): void {
  document.documentElement.dataset['theme'] = theme;
  try {
    localStorage.setItem(KEY, theme);
  } catch {
    // The choice holds until the page is left.
  }
}
