import { type Theme, paletteDeclarations, stateRules } from '@market-state/packet-figures';
import { useSyncExternalStore } from 'react';
import { store } from '../service/stored-choice';

export function adoptPalette(): void {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(`:root{${paletteDeclarations('dark')}}\n:root[data-theme=light]{${paletteDeclarations('light')}}\n${stateRules()}`);
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
}

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

/** Stored for the next visit if the browser allows it. */
export function chooseTheme(theme: Theme): void {
  document.documentElement.dataset['theme'] = theme;
  store('theme', theme);
}

const REDUCED_MS = 1_000;

/** Limits self-updating drawings to once a second if the user prefers reduced motion. */
export function drawEveryMs(usualMs: number): number {
  return matchMedia('(prefers-reduced-motion: reduce)').matches ? Math.max(REDUCED_MS, usualMs) : usualMs;
}
