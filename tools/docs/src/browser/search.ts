/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
import MiniSearch, { type SearchResult } from 'minisearch';
import { SEARCH_OPTIONS, type Section } from '../site/search-index';

type Found = SearchResult & Section;

const RESULTS_MAX = 12;
const CONTEXT_CHARACTERS = 140;

/** Opens the search from its button or with `/`, and answers from the index, which is loaded when first needed. */
export function addSearch(): void {
  const dialog = document.querySelector<HTMLDialogElement>('dialog.search');
  const button = document.querySelector<HTMLButtonElement>('button.find');
  const field = dialog?.querySelector('input');
  const list = dialog?.querySelector('ol');
  const note = dialog?.querySelector<HTMLElement>('[role=status]');
  if (dialog === null || button === null || !field || !list || !note) return;
  const load = once(() => loadIndex(button.dataset['index'] ?? ''));
  button.hidden = false;

  const answer = async (): Promise<void> => {
    const words = field.value.trim();
    try {
      const index = await load();
      if (words !== field.value.trim()) return;
      const results = words === '' ? [] : find(index, words);
      list.replaceChildren(...results.map((result) => resultItem(result)));
      note.textContent = words !== '' && results.length === 0 ? `Nothing found for “${words}”.` : '';
    } catch (error) {
      note.textContent = error instanceof Error ? error.message : String(error);
    }
  };
  const open = (): void => {
    if (!dialog.open) dialog.showModal();
    field.select();
    void answer();
  };

  button.addEventListener('click', open);
  field.addEventListener('input', () => void answer());
  document.addEventListener('keydown', (event) => {
    const isTyping = event.target instanceof HTMLElement && event.target.matches('input, textarea, select');
    const opens = (event.key === '/' && !isTyping) || (event.key === 'k' && (event.ctrlKey || event.metaKey));
    if (!opens || event.altKey) return;
    event.preventDefault();
    open();
  });
  dialog.addEventListener('keydown', (event) => {
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') moveFocus(event, field, [...list.querySelectorAll('a')]);
    else if (event.key === 'Enter' && event.target === field) list.querySelector('a')?.click();
  });
  // A link to another section of the same page does not load a page.
  list.addEventListener('click', () => {
    dialog.close();
  });
  dialog.addEventListener('click', (event) => {
    if (event.target === dialog) dialog.close();
  });

  const missing = document.querySelector<HTMLElement>('[data-missing]');
  if (missing !== null) {
    field.value = (location.pathname.split('/').findLast(Boolean) ?? '').replaceAll(/[^\p{L}\p{N}]+/gu, ' ').trim();
    open();
  }
}

/** Sections with all words, or where there is none, with any of them. */
function find(index: MiniSearch<Section>, words: string): Found[] {
  const all = index.search(words);
  return (all.length > 0 ? all : index.search(words, { combineWith: 'OR' })).slice(0, RESULTS_MAX) as Found[];
}

async function loadIndex(address: string): Promise<MiniSearch<Section>> {
  const response = await fetch(address);
  if (!response.ok) throw new Error(`The search index could not be loaded (${response.status}).`);
  return MiniSearch.loadJSON<Section>(await response.text(), SEARCH_OPTIONS);
}

/** Calls again only after a failure. */
function once<Value>(make: () => Promise<Value>): () => Promise<Value> {
  let made: Promise<Value> | undefined;
  return () => {
    made ??= make().catch((error: unknown) => {
      made = undefined;
      throw error;
    });
    return made;
  };
}

function resultItem({ path, page, section, text, terms }: Found): HTMLLIElement {
  const item = document.createElement('li');
  const link = document.createElement('a');
  link.href = path;
  const title = document.createElement('strong');
  title.append(...marked(section === '' ? page : `${page} › ${section}`, terms));
  const context = document.createElement('span');
  context.append(...marked(contextOf(text, terms), terms));
  link.append(title, context);
  item.append(link);
  return item;
}

/** The part of a text around the first term found in it. */
function contextOf(text: string, terms: readonly string[]): string {
  const lower = text.toLowerCase();
  const at = Math.min(...terms.map((term) => lower.indexOf(term)).filter((place) => place >= 0));
  const from = Number.isFinite(at) ? Math.max(0, lower.lastIndexOf(' ', Math.max(0, at - CONTEXT_CHARACTERS / 3)) + 1) : 0;
  const cut = text.slice(from, from + CONTEXT_CHARACTERS);
  return `${from > 0 ? '… ' : ''}${cut}${from + CONTEXT_CHARACTERS < text.length ? ' …' : ''}`;
}

function marked(text: string, terms: readonly string[]): (string | HTMLElement)[] {
  if (terms.length === 0) return [text];
  const escaped = terms.toSorted((a, b) => b.length - a.length).map((term) => term.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`));
  return text.split(new RegExp(`(${escaped.join('|')})`, 'gi')).map((part, index) => {
    if (index % 2 === 0) return part;
    const mark = document.createElement('mark');
    mark.textContent = part;
    return mark;
  });
}

function moveFocus(event: KeyboardEvent, field: HTMLInputElement, links: readonly HTMLAnchorElement[]): void {
  event.preventDefault();
  const at = links.findIndex((link) => link === document.activeElement);
  const next = event.key === 'ArrowDown' ? at + 1 : at - 1;
  if (next < 0) field.focus();
  else links[Math.min(next, links.length - 1)]?.focus();
}
