import type { FactTable } from './condition';
import type { FactDeclaration, Facts } from './fact';
import type { Report } from './fault';
import { type NumberFormat, numberWords, PAIRED_FORMATS, spanUnitMs } from './number-words';

const PLACEHOLDER = /\{([a-z0-9_]+)(?:\|([a-z]+)(?::([a-z0-9_]+))?)?\}/g;

/**
 * Sentence template. `{name}` prints a count or word as is; `{name|label}` a word's taxonomy label; `{name|list}` a
 * list of labels; `{name|score}`, `bps`, `share`, `percent`, `span` and `usd` a readable number; `{name|score:other}`
 * enough decimals to differ from `other`.
 */
export interface Template {
  readonly text: string;
  readonly facts: readonly string[];
  /** Null if a fact it needs is null or an empty list. */
  readonly render: (facts: Facts) => string | null;
}

export type LabelOf = (kind: string, value: string) => string;

type Format = 'plain' | 'label' | 'list' | NumberFormat;
const FORMATS: readonly Format[] = ['plain', 'label', 'list', 'score', 'bps', 'share', 'percent', 'span', 'usd'];

interface Place {
  readonly declaration: FactDeclaration;
  readonly format: Format;
  readonly other?: string;
}

type Part = { readonly literal: string } | Place;

export function compileTemplate(text: string, table: FactTable, labelOf: LabelOf, path: string, report: Report): Template {
  const parts = parse(text, table, path, report);
  const names = parts.flatMap((part) => ('declaration' in part ? [part.declaration.name] : []));
  return {
    text,
    facts: [...new Set(names)],
    render: (facts) => {
      const pieces: string[] = [];
      for (const part of parts) {
        const piece = 'literal' in part ? part.literal : print(part, facts, labelOf);
        if (piece === null) return null;
        pieces.push(piece);
      }
      return pieces.join('');
    },
  };
}

function parse(text: string, table: FactTable, path: string, report: Report): readonly Part[] {
  const parts: Part[] = [];
  let end = 0;
  for (const match of text.matchAll(PLACEHOLDER)) {
    parts.push(literalPart(text.slice(end, match.index), path, report));
    end = match.index + match[0].length;
    const declaration = table.declarations.get(match[1] ?? '');
    if (declaration === undefined) {
      report(path, `prints an unknown fact, "${match[1]}"`);
      continue;
    }
    const format = FORMATS.find((name) => name === (match[2] ?? 'plain'));
    if (format === undefined) report(path, `prints "${match[1]}" in an unknown format, "${match[2]}"`);
    else parts.push(placeOf(declaration, format, match[3], table, path, report));
  }
  parts.push(literalPart(text.slice(end), path, report));
  return parts;
}

function literalPart(literal: string, path: string, report: Report): Part {
  if (/[{}]/.test(literal)) report(path, 'contains a brace that belongs to no fact');
  if (/\d/.test(literal)) report(path, 'contains a digit, but numbers must come from facts');
  return { literal };
}

function placeOf(
  declaration: FactDeclaration,
  format: Format,
  other: string | undefined,
  table: FactTable,
  path: string,
  report: Report,
): Place {
  checkFormat(declaration, format, path, report);
  if (other === undefined) return { declaration, format };
  if (table.declarations.get(other)?.type !== 'number')
    report(path, `compares "${declaration.name}" with "${other}", which is not a number`);
  if (!PAIRED_FORMATS.some((name) => name === format))
    report(path, `compares "${declaration.name}" with another number in a format that does not support it`);
  return { declaration, format, other };
}

function checkFormat(declaration: FactDeclaration, format: Format, path: string, report: Report): void {
  const { name, type, taxonomy } = declaration;
  if (format === 'plain') {
    if (type === 'list' || type === 'flag') report(path, `prints "${name}", a ${type}, without a format`);
  } else if (format === 'label') {
    if (type !== 'word' || taxonomy === undefined) report(path, `prints a label of "${name}", which has none`);
  } else if (format === 'list') {
    if (type !== 'list' || taxonomy === undefined) report(path, `prints "${name}" as a list of terms, which it is not`);
  } else if (type !== 'number') report(path, `prints "${name}", a ${type}, as a number`);
  else if (format === 'span' && spanUnitMs(name) === undefined)
    report(path, `prints "${name}" as a span, but its name ends in no unit of time`);
}

function print({ declaration, format, other }: Place, facts: Facts, labelOf: LabelOf): string | null {
  const value = facts[declaration.name] ?? null;
  if (value === null) return null;
  const kind = declaration.taxonomy ?? '';
  if (format === 'plain') return String(value);
  if (format === 'label') return labelOf(kind, String(value));
  if (format !== 'list') {
    const against = other === undefined ? null : facts[other];
    return numberWords(Number(value), format, typeof against === 'number' ? against : null, spanUnitMs(declaration.name));
  }
  const labels = (Array.isArray(value) ? (value as readonly string[]) : []).map((item) => labelOf(kind, item));
  return labels.length === 0 ? null : joined(labels);
}

function joined(words: readonly string[]): string {
  const last = words[words.length - 1] ?? '';
  return words.length < 2 ? last : `${words.slice(0, -1).join(', ')} and ${last}`;
}
