import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Document, Scalar, visit } from 'yaml';
import type { Step } from './step';

/** Credentials in this service's formats, and their replacements. */
const MASKS: readonly (readonly [RegExp, (secret: string) => string])[] = [
  // Keeps the parts that a key's record displays: the first 12 characters and the last 4.
  [/\bmsk_(?:live|test)_[0-9A-Za-z]{46}\b/g, (key) => `${key.slice(0, 12)}${'0'.repeat(key.length - 16)}${key.slice(-4)}`],
  [/\bwhsec_[A-Za-z0-9+/]{43}=/g, () => `whsec_${'A'.repeat(43)}=`],
  // Secret of a second factor, and a recovery code.
  [/\b[A-Z2-7]{32}\b/g, () => 'A'.repeat(32)],
  [/\b(?:[a-z2-7]{4}-){3}[a-z2-7]{4}\b/g, () => 'aaaa-aaaa-aaaa-aaaa'],
  [/\bsignature=[0-9A-Za-z_-]{20,}/g, (signature) => `signature=${'0'.repeat(signature.length - 'signature='.length)}`],
];

/** Replaces each secret with an invalid one of the same format. */
export function masked(text: string): string {
  return MASKS.reduce((so, [form, mask]) => so.replace(form, mask), text);
}

interface Cut {
  readonly items: number;
  /** Exceptions by the list's path. Items have the path of their list. */
  readonly lists: Readonly<Record<string, number>>;
  /** Fields to keep of an object, by its path. */
  readonly keeps: Readonly<Record<string, readonly string[]>>;
}

/** A shortened answer, and a line for each omission. */
interface CutAnswer {
  readonly value: unknown;
  readonly left: readonly string[];
}

/** Keeps the first items of every list, and the named fields of some objects. */
export function cutAnswer(answer: unknown, { items, lists, keeps }: Cut): CutAnswer {
  const left = new Map<string, string>();

  function walk(value: unknown, place: string): unknown {
    if (Array.isArray(value)) {
      const kept = lists[place] ?? items;
      if (value.length > kept && !left.has(place)) left.set(place, `\`${place}\` has ${value.length} items`);
      return value.slice(0, kept).map((item) => walk(item, place));
    }
    if (typeof value !== 'object' || value === null) return value;
    const all = Object.entries(value);
    const wanted = keeps[place];
    const kept = wanted === undefined ? all : all.filter(([name]) => wanted.includes(name));
    if (kept.length < all.length && !left.has(place))
      left.set(place, `${place === '' ? 'the document' : `\`${place}\``} has ${all.length} fields`);
    return Object.fromEntries(kept.map(([name, inner]) => [name, walk(inner, place === '' ? name : `${place}.${name}`)]));
  }

  return { value: walk(answer, ''), left: [...left.values()] };
}

/** The start of a text, up to a nearby end of line. */
export function cutText(text: string, characters: number): CutAnswer {
  if (text.length <= characters) return { value: text, left: [] };
  const begin = text.slice(0, characters);
  const lineEnd = begin.lastIndexOf('\n');
  return { value: `${lineEnd > characters / 2 ? begin.slice(0, lineEnd) : begin}\n…\n`, left: [`the text has ${text.length} characters`] };
}

export interface Example {
  readonly summary: string;
  /** A line for each omission. */
  readonly left: readonly string[];
  readonly value: unknown;
  readonly type: string;
}

/** Path of a step's example in the examples folder: `list-candles-200.yaml`. */
export function fileNameOf({ operation, status = 200, variant }: Pick<Step, 'operation' | 'status' | 'variant'>): string {
  const words = operation.replace(/[A-Z]\d*/g, (begin) => `-${begin.toLowerCase()}`);
  return `${words}-${status}${variant === undefined ? '' : `-${variant}`}.yaml`;
}

export function writeExample(folder: string, step: Step, { summary, left, value }: Example): string {
  mkdirSync(folder, { recursive: true });
  const description = left.length === 0 ? {} : { description: `Shortened: in the full response, ${left.join(', ')}.` };
  const text = yamlText({ summary, ...description, value });
  writeFileSync(join(folder, fileNameOf(step)), text);
  return text;
}

/** Quotes every string so that no digest is read as a number; multi-line strings stay blocks. */
function yamlText(content: object): string {
  const document = new Document(content);
  visit(document, {
    Scalar(_key, node) {
      if (typeof node.value === 'string' && node.value.includes('\n')) node.type = Scalar.BLOCK_LITERAL;
    },
  });
  return document.toString({ lineWidth: 0, defaultStringType: 'QUOTE_DOUBLE', defaultKeyType: 'PLAIN' });
}
