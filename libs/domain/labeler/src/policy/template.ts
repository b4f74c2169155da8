import type { FactTable } from './condition';
import type { FactDeclaration, Facts, FactValue } from './fact';
import type { Report } from './fault';

const PLACEHOLDER = /\{([a-z0-9_]+)(?:\|(label|list))?\}/g;

/**
 * A sentence with places for facts: `{name}` prints a number as JSON does and a word as it is, `{name|label}` prints the
 * taxonomy's label of a word, `{name|list}` the labels of a list, joined by commas and "and".
 */
export interface Template {
  readonly text: string;
  /** The facts it prints, in order, each once. */
  readonly facts: readonly string[];
  /** The sentence, or null when a fact it needs is null or an empty list: a sentence never speaks of what is not there. */
  readonly render: (facts: Facts) => string | null;
}

export type LabelOf = (kind: string, value: string) => string;

type Part = { readonly literal: string } | { readonly declaration: FactDeclaration; readonly format: 'plain' | 'label' | 'list' };

/** The sentence as a function; unknown facts, facts that cannot be printed that way and stray braces or digits are reported. */
export function compileTemplate(text: string, table: FactTable, labelOf: LabelOf, path: string, report: Report): Template {
  const parts = parse(text, table, path, report);
  const names = parts.flatMap((part) => ('declaration' in part ? [part.declaration.name] : []));
  return {
    text,
    facts: [...new Set(names)],
    render: (facts) => {
      const pieces: string[] = [];
      for (const part of parts) {
        const piece =
          'literal' in part ? part.literal : print(part.declaration, part.format, facts[part.declaration.name] ?? null, labelOf);
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
    const format = match[2] === 'label' ? 'label' : match[2] === 'list' ? 'list' : 'plain';
    checkFormat(declaration, format, path, report);
    parts.push({ declaration, format });
  }
  parts.push(literalPart(text.slice(end), path, report));
  return parts;
}

function literalPart(literal: string, path: string, report: Report): Part {
  if (/[{}]/.test(literal)) report(path, 'holds a brace that belongs to no fact');
  if (/\d/.test(literal)) report(path, 'holds a digit, but a number must come from a fact');
  return { literal };
}

function checkFormat(declaration: FactDeclaration, format: 'plain' | 'label' | 'list', path: string, report: Report): void {
  if (format === 'plain' && (declaration.type === 'list' || declaration.type === 'flag'))
    report(path, `prints "${declaration.name}", a ${declaration.type}, as it is`);
  if (format === 'label' && (declaration.type !== 'word' || declaration.taxonomy === undefined))
    report(path, `prints a label of "${declaration.name}", which has none`);
  if (format === 'list' && (declaration.type !== 'list' || declaration.taxonomy === undefined))
    report(path, `prints "${declaration.name}" as a list of terms, which it is not`);
}

function print(declaration: FactDeclaration, format: 'plain' | 'label' | 'list', value: FactValue, labelOf: LabelOf): string | null {
  if (value === null) return null;
  const kind = declaration.taxonomy ?? '';
  if (format === 'label') return labelOf(kind, String(value));
  if (format === 'plain') return String(value);
  const labels = (Array.isArray(value) ? (value as readonly string[]) : []).map((item) => labelOf(kind, item));
  return labels.length === 0 ? null : joined(labels);
}

function joined(words: readonly string[]): string {
  const last = words[words.length - 1] ?? '';
  return words.length < 2 ? last : `${words.slice(0, -1).join(', ')} and ${last}`;
}
