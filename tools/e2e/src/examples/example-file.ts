import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Document, Scalar, visit } from 'yaml';
import type { Step } from './step';

/** What the document shows of one answer. */
export interface Example {
  readonly summary: string;
  /** What was left out, a line for each place. */
  readonly left: readonly string[];
  readonly value: unknown;
  /** Media type of the answer. */
  readonly type: string;
}

/** The file of a step's example, below the folder of examples: `list-candles-200.yaml`. */
export function fileNameOf({ operation, status = 200, variant }: Pick<Step, 'operation' | 'status' | 'variant'>): string {
  const words = operation.replace(/[A-Z]\d*/g, (begin) => `-${begin.toLowerCase()}`);
  return `${words}-${status}${variant === undefined ? '' : `-${variant}`}.yaml`;
}

export function writeExample(folder: string, step: Step, { summary, left, value }: Example): string {
  mkdirSync(folder, { recursive: true });
  const description = left.length === 0 ? {} : { description: `Shortened: in the answer ${left.join(', ')}.` };
  const text = yamlText({ summary, ...description, value });
  writeFileSync(join(folder, fileNameOf(step)), text);
  return text;
}

/** Every string quoted, so that no digest is read as a number; those of several lines as they are. */
function yamlText(content: object): string {
  const document = new Document(content);
  visit(document, {
    Scalar(_key, node) {
      if (typeof node.value === 'string' && node.value.includes('\n')) node.type = Scalar.BLOCK_LITERAL;
    },
  });
  return document.toString({ lineWidth: 0, defaultStringType: 'QUOTE_DOUBLE', defaultKeyType: 'PLAIN' });
}
