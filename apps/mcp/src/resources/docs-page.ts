import { TEXT_BYTES_MAX } from '../answers/bounds';

/** Addresses of pages as resources. */
const ADDRESS = 'market-state://docs/';
const LIST = 'start';
const NAME = /^([a-z0-9][A-Za-z0-9_-]*(?:\/[a-z0-9][A-Za-z0-9_-]*)*)(?::([1-9]\d?))?$/;
const OPERATION = /^[a-z]+(?:[A-Z][a-z0-9]*)+$/;
/** Left of the bound for the line that says where a page goes on. */
const LINE_BYTES = 300;

/** A page that was asked for: where its text is served, and which part of it is meant. */
export interface AskedPage {
  readonly path: string;
  readonly name: string;
  /** From 1. */
  readonly part: number;
}

/** The page of a name such as `guides/streaming`, `getLatest` or `reference/labeling:2`; null for what cannot be a name. */
export function askedPage(page: string): AskedPage | null {
  const [, name, part = '1'] = NAME.exec(page) ?? [];
  if (name === undefined) return null;
  if (name === LIST) return { path: '/llms.txt', name, part: Number(part) };
  const found = OPERATION.test(name) ? `reference/operations/${kebab(name)}` : name;
  return { path: `/docs/${found}.md`, name: found, part: Number(part) };
}

/** A part of a page's Markdown with its links as resources, and the address of the next part at its end; null beyond the last. */
export function partOfPage(markdown: string, { name, part }: AskedPage): string | null {
  const parts = partsOf(markdown.replaceAll(/\]\(\/docs\/([^)#\s]+?)\.md(?:#[^)\s]*)?\)/g, `](${ADDRESS}$1)`));
  const text = parts[part - 1];
  if (text === undefined) return null;
  return part === parts.length ? text : `${text}\nPart ${part} of ${parts.length}. It goes on at ${ADDRESS}${name}:${part + 1}\n`;
}

/** A text in parts within the bound, cut before a heading where that can be, else after a line. */
function partsOf(text: string): readonly string[] {
  const parts = [''];
  for (const piece of text.split(/^(?=#{2,3} )/m).flatMap((section) => (isFit(section) ? [section] : section.split(/(?<=\n)/)))) {
    const last = parts.at(-1) ?? '';
    if (isFit(last + piece)) parts[parts.length - 1] = last + piece;
    else parts.push(...inCharacters(piece));
  }
  return parts.filter((part) => part !== '');
}

/** A line that is longer than the bound, in pieces; a character has four bytes at most. */
function inCharacters(line: string): readonly string[] {
  if (isFit(line)) return [line];
  const size = Math.floor((TEXT_BYTES_MAX - LINE_BYTES) / 4);
  const characters = [...line];
  return Array.from({ length: Math.ceil(characters.length / size) }, (_, at) => characters.slice(at * size, (at + 1) * size).join(''));
}

function isFit(text: string): boolean {
  return Buffer.byteLength(text) <= TEXT_BYTES_MAX - LINE_BYTES;
}

function kebab(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}
