import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PolicyError, type PolicyFault } from '../src/policy/fault';
import { policyFileNames } from '../src/policy/files';
import { parsePolicy } from '../src/policy/parse-policy';

const FOLDER = join(import.meta.dirname, '../policy');

const SHIPPED = Object.fromEntries(policyFileNames.map((name) => [name, readFileSync(join(FOLDER, name), 'utf8')]));

export function policyTexts(): Record<string, string> {
  return { ...SHIPPED };
}

/** Edit of a file. `file` without `.json`; the first occurrence of `from` is replaced. */
export interface Edit {
  readonly file: string;
  readonly from: string;
  readonly to: string;
}

/**
 * Texts with these edits.
 * @throws Error if an edit's `from` is missing
 */
export function editedTexts(...edits: readonly Edit[]): Record<string, string> {
  const texts = policyTexts();
  for (const { file, from, to } of edits) {
    const name = `${file}.json`;
    const text = texts[name] ?? '';
    if (!text.includes(from)) throw new Error(`${name} does not contain ${from}`);
    texts[name] = text.replace(from, () => to);
  }
  return texts;
}

export function faultsOf(texts: Readonly<Record<string, string>>): readonly PolicyFault[] {
  try {
    parsePolicy(texts);
    return [];
  } catch (error) {
    if (error instanceof PolicyError) return error.faults;
    throw error;
  }
}

/**
 * 1-based line on which `part` starts.
 * @throws Error if it is missing
 */
export function lineOf(text: string, part: string): number {
  const index = text.indexOf(part);
  if (index < 0) throw new Error(`not found: ${part}`);
  return text.slice(0, index).split('\n').length;
}
