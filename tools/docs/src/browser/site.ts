/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
import { addSearch } from './search';

/** Pages whose tables have a filter: lists too long to read through. */
const FILTERED = ['/docs/reference/operations', '/docs/errors', '/docs/run/settings'];

/** Adds a text field that hides the rows, and the sections, without all of its words. */
function addTableFilter(): void {
  const heading = document.querySelector('main h1');
  if (heading === null || !FILTERED.includes(location.pathname)) return;
  const label = document.createElement('label');
  label.className = 'filter';
  const field = document.createElement('input');
  field.type = 'search';
  const found = document.createElement('output');
  label.append('Filter ', field, ' ', found);
  heading.after(label);
  const rows = [...document.querySelectorAll<HTMLTableRowElement>('main tbody tr')];
  field.addEventListener('input', () => {
    const words = wordsOf(field.value);
    const shown = rows.filter((row) => {
      row.hidden = !words.every((word) => (row.textContent ?? '').toLowerCase().includes(word));
      return !row.hidden;
    });
    found.textContent = words.length === 0 ? '' : `${shown.length} of ${rows.length} rows`;
    hideEmptySections(words.length > 0);
  });
}

/** Hides each heading of a table whose rows are all hidden, with the text between them. */
function hideEmptySections(isFiltered: boolean): void {
  for (const table of document.querySelectorAll<HTMLElement>('main .table')) {
    const isEmpty = isFiltered && table.querySelector('tbody tr:not([hidden])') === null;
    for (const part of sectionEndingAt(table)) part.hidden = isEmpty;
  }
}

function sectionEndingAt(table: HTMLElement): HTMLElement[] {
  const parts = [table];
  for (
    let at = table.previousElementSibling;
    at instanceof HTMLElement && !at.matches('.table, h1, .filter');
    at = at.previousElementSibling
  ) {
    parts.push(at);
    if (at.matches('h2')) return parts;
  }
  return [table];
}

function wordsOf(text: string): string[] {
  return text.toLowerCase().split(/\s+/).filter(Boolean);
}

const CONFIRMED_MS = 1_500;

/** Adds a button to each block of code that copies its text. Clipboards need a secure context; elsewhere there is no button. */
function addCopyButtons(): void {
  if (navigator.clipboard === undefined) return;
  for (const block of document.querySelectorAll('pre')) {
    const frame = document.createElement('div');
    frame.className = 'code';
    block.replaceWith(frame);
    const button = document.createElement('button');
    button.type = 'button';
    button.className = 'copy';
    button.textContent = 'Copy';
    button.addEventListener('click', () => void copy(button, block.textContent ?? ''));
    frame.append(block, button);
  }
}

async function copy(button: HTMLButtonElement, text: string): Promise<void> {
  const done = await navigator.clipboard.writeText(text.trimEnd()).then(
    () => 'Copied',
    () => 'Not allowed',
  );
  button.textContent = done;
  setTimeout(() => {
    button.textContent = 'Copy';
  }, CONFIRMED_MS);
}

addSearch();
addCopyButtons();
addTableFilter();
