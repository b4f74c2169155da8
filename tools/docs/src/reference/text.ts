import { DOCS } from '../site/page';
import type { Schema } from './document';

/** Escapes a text for one line of Markdown, outside code: no markup, no end of a table cell. */
export function line(text: string): string {
  return text
    .trim()
    .replace(/\s+/g, ' ')
    .split(/(`[^`]*`)/)
    .map((part, index) => (index % 2 === 1 ? part : part.replace(/[<>*_]/g, (mark) => `\\${mark}`)))
    .join('')
    .replaceAll('|', String.raw`\|`);
}

export function code(value: unknown): string {
  return `\`${typeof value === 'string' ? value : JSON.stringify(value)}\``;
}

export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

export function fence(language: string, text: string, info = ''): string {
  return `\`\`\`${language}${info === '' ? '' : ` ${info}`}\n${text.trimEnd()}\n\`\`\``;
}

export function jsonBlock(value: unknown): string {
  return fence('json', JSON.stringify(value, null, 2));
}

/** `listCandles` → `list-candles`. */
export function kebab(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`).replaceAll(/[._]/g, '-');
}

/** A value's type, bounds and allowed values in words. */
export function formOf(schema: Schema): string {
  const types = [schema.type ?? (schema.enum === undefined ? 'object' : 'string')].flat().filter((type) => type !== 'null');
  const nullable = [schema.type].flat().includes('null') ? ['or null'] : [];
  const { minimum, maximum, minLength, maxLength, minItems, maxItems } = schema;
  return [
    schema.items === undefined ? types.join(' or ') : `list of ${formOf(schema.items)}`,
    ...nullable,
    ...rangeOf(minimum, maximum, ''),
    ...rangeOf(minLength, maxLength, ' characters'),
    ...rangeOf(minItems, maxItems, ' items'),
    ...(schema.format === undefined ? [] : [schema.format]),
    ...(schema.enum === undefined
      ? []
      : [
          schema.enum
            .filter((value) => value !== null)
            .map(code)
            .join(' '),
        ]),
    ...(schema.const === undefined ? [] : [`always ${code(schema.const)}`]),
    ...(schema.pattern === undefined ? [] : [code(schema.pattern)]),
  ].join(', ');
}

function rangeOf(min: number | undefined, max: number | undefined, unit: string): string[] {
  if (min === undefined && max === undefined) return [];
  const [from, to] = [min?.toLocaleString('en'), max?.toLocaleString('en')];
  if (from === undefined) return [`at most ${to}${unit}`];
  return [to === undefined ? `at least ${from}${unit}` : `${from} to ${to}${unit}`];
}

export function operationPath(operationId: string): string {
  return `${DOCS}/reference/operations/${kebab(operationId)}`;
}

export function errorPath(code: string): string {
  return `${DOCS}/errors/${code}`;
}
