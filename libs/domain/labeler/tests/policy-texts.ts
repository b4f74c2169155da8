import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PolicyError, type PolicyFault } from '../src/policy/fault';
import { policyFileNames } from '../src/policy/files';
import { parsePolicy } from '../src/policy/parse-policy';

const FOLDER = join(import.meta.dirname, '../policy');

const SHIPPED = Object.fromEntries(policyFileNames.map((name) => [name, readFileSync(join(FOLDER, name), 'utf8')]));

/** The policy files that ship, as texts by file name. */
export function policyTexts(): Record<string, string> {
  return { ...SHIPPED };
}

/** One place of a file written otherwise. `file` without `.json`; `from` must stand in it, its first occurrence is replaced. */
export interface Edit {
  readonly file: string;
  readonly from: string;
  readonly to: string;
}

/** The texts with these edits. @throws Error when an edit's place is not there. */
export function editedTexts(...edits: readonly Edit[]): Record<string, string> {
  const texts = policyTexts();
  for (const { file, from, to } of edits) {
    const name = `${file}.json`;
    const text = texts[name] ?? '';
    if (!text.includes(from)) throw new Error(`${name} does not hold ${from}`);
    texts[name] = text.replace(from, () => to);
  }
  return texts;
}

/** The faults of these texts; none when they are a policy. */
export function faultsOf(texts: Readonly<Record<string, string>>): readonly PolicyFault[] {
  try {
    parsePolicy(texts);
    return [];
  } catch (error) {
    if (error instanceof PolicyError) return error.faults;
    throw error;
  }
}

/** The line, from 1, on which `part` begins in the text. @throws Error when it is not there. */
export function lineOf(text: string, part: string): number {
  const index = text.indexOf(part);
  if (index < 0) throw new Error(`nowhere: ${part}`);
  return text.slice(0, index).split('\n').length;
}
