import type { FactTable, FactDeclaration, Facts } from './facts';
import type { Report } from './files';
import { roundHalfEven, roundTo } from '../numbers/round';

/** Number formats in sentences: docs/packet-body.md, section 4. */
export type NumberFormat = 'score' | 'bps' | 'share' | 'percent' | 'span' | 'usd';

const PAIRED_FORMATS: readonly NumberFormat[] = ['score', 'bps'];

const MOST_DECIMALS = 6;

const SPAN_UNITS: Readonly<Record<string, number>> = { ms: 1, seconds: 1_000, minutes: 60_000, hours: 3_600_000 };

export function spanUnitMs(factName: string): number | undefined {
  return SPAN_UNITS[factName.slice(factName.lastIndexOf('_') + 1)];
}

/** `other`: a number in the same sentence that must print differently if it differs. `unitMs`: unit of a `span`. */
export function numberWords(value: number, format: NumberFormat, other: number | null, unitMs = 1): string {
  switch (format) {
    case 'score':
      return paired(value, other, () => 2);
    case 'bps':
      return `${paired(value, other, decimalsOf)} bps`;
    case 'share':
      return shareWords(value);
    case 'percent':
      return `${fixed(100 * value, decimalsOf(100 * value))} %`;
    case 'span':
      return spanWords(value * unitMs);
    case 'usd':
      return usdWords(value);
  }
}

/** Two to three significant digits: no decimals from 100, one from 1, one more per power of ten below. */
function decimalsOf(value: number): number {
  const size = Math.abs(value);
  if (size >= 100 || size === 0) return 0;
  if (size >= 1) return 1;
  if (size >= 0.1) return 2;
  if (size >= 0.01) return 3;
  if (size >= 0.001) return 4;
  return size >= 0.0001 ? 5 : MOST_DECIMALS;
}

function paired(value: number, other: number | null, least: (value: number) => number): string {
  let decimals = least(value);
  if (other === null || other === value) return fixed(value, decimals);
  decimals = Math.max(decimals, least(other));
  while (decimals < MOST_DECIMALS && roundTo(value, decimals) === roundTo(other, decimals)) decimals++;
  return fixed(value, decimals);
}

/** Fixed decimals; a non-zero value never prints as zero. */
function fixed(value: number, decimals: number): string {
  const rounded = roundTo(value, decimals);
  return rounded === 0 && value !== 0 ? `under ${(10 ** -decimals).toFixed(decimals)}` : rounded.toFixed(decimals);
}

function shareWords(value: number): string {
  const percent = Math.round(100 * roundTo(value, 2));
  if (percent === 0 && value > 0) return 'under 1 %';
  return percent === 100 && value < 1 ? 'over 99 %' : `${percent} %`;
}

function spanWords(ms: number): string {
  if (ms < 1_000) return 'under 1 s';
  const seconds = roundHalfEven(ms / 1_000);
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3_600) return twoUnits(seconds, 60, 'min', 's');
  const minutes = roundHalfEven(seconds / 60);
  return minutes < 2_880 ? twoUnits(minutes, 60, 'h', 'min') : twoUnits(roundHalfEven(minutes / 60), 24, 'd', 'h');
}

function twoUnits(total: number, size: number, large: string, small: string): string {
  const rest = total % size;
  const whole = `${(total - rest) / size} ${large}`;
  return rest === 0 ? whole : `${whole} ${rest} ${small}`;
}

function usdWords(value: number): string {
  for (const [unit, name] of [
    [1e9, 'billion'],
    [1e6, 'million'],
    [1e3, 'thousand'],
  ] as const)
    if (value >= unit) return `${fixed(value / unit, decimalsOf(value / unit))} ${name} USD`;
  return `${fixed(value, 0)} USD`;
}

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
