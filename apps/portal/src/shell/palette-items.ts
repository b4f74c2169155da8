import { DOCS, PAGES, type Page } from '../pages';
import { marketWords } from '../packets/market-name';

export interface PaletteItem {
  readonly kind: 'symbol' | 'event' | 'page' | 'search';
  readonly title: string;
  readonly path: string;
}

const SYMBOL = /^[A-Z0-9]{1,20}USD-PERP$/;
const EVENT = /^evt_[0-9a-z]{26}$/;
const SYMBOLS_MAX = 8;
/** Not reached from the palette: pages of one thing, and forms that other pages lead to. */
const LEFT_OUT: readonly Page[] = [PAGES.symbol, PAGES.packet, PAGES.share, PAGES.reset];

const PAGE_ITEMS: readonly PaletteItem[] = [
  ...(Object.values(PAGES) as readonly Page[])
    .filter((page) => !LEFT_OUT.includes(page))
    .map(({ title, pattern }) => ({ kind: 'page' as const, title, path: pattern })),
  { kind: 'page', title: 'Documentation', path: DOCS },
  { kind: 'page', title: 'API reference', path: `${DOCS}/reference/operations` },
];

/**
 * Choices for a typed text, best first: exact matches, then symbols, then pages, then a search of the events.
 * @param symbols empty if the catalog can't be read
 */
export function paletteItems(text: string, symbols: readonly string[]): readonly PaletteItem[] {
  const typed = text.trim();
  const name = typed.toUpperCase();
  if (EVENT.test(typed)) return [{ kind: 'event', title: typed, path: `/packet/${typed}` }];
  const pages = PAGE_ITEMS.filter(({ title }) => hasWords(title, typed));
  const found = symbolsFor(name, symbols).map((symbol) => ({
    kind: 'symbol' as const,
    title: marketWords(symbol),
    path: `/live/${symbol}`,
  }));
  const search = {
    kind: 'search' as const,
    title: `Search events for “${typed}”`,
    path: `${PAGES.search.pattern}?q=${encodeURIComponent(typed)}`,
  };
  return [...found, ...pages, ...(typed === '' ? [] : [search])];
}

/** Symbols with the name or its usual ending first, then those that start with it, then those that contain it. */
function symbolsFor(name: string, symbols: readonly string[]): readonly string[] {
  const whole = [name, `${name}-PERP`, `${name}USD-PERP`];
  const rank = (symbol: string): number => (whole.includes(symbol) ? 0 : symbol.startsWith(name) ? 1 : symbol.includes(name) ? 2 : 3);
  const found = symbols.filter((symbol) => rank(symbol) < 3).sort((a, b) => rank(a) - rank(b));
  return found.length === 0 && SYMBOL.test(name) && symbols.length === 0 ? [name] : found.slice(0, SYMBOLS_MAX);
}

/** Every typed word starts a word of the title. */
function hasWords(title: string, typed: string): boolean {
  const words = title.toLowerCase().split(' ');
  return typed
    .toLowerCase()
    .split(/\s+/)
    .every((part) => words.some((word) => word.startsWith(part)));
}
