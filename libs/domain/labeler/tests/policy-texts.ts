import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PolicyError, type PolicyFault, policyFileNames } from '../src/policy/files';
import type { PolicyNumbers } from '../src/policy/numbers';
import { parsePolicy } from '../src/policy/parse-policy';

const NUMBERS = 'numbers.json';
const FOLDER = join(import.meta.dirname, '../policy');

const SHIPPED = Object.fromEntries(policyFileNames.map((name) => [name, readFileSync(join(FOLDER, name), 'utf8')]));

export function policyTexts(): Record<string, string> {
  return { ...SHIPPED };
}

/** Policy numbers that worked examples rely on, fixed so that tuning the policy does not change them. */
const FROZEN: readonly (readonly [prefixAndNumber: RegExp, frozen: string])[] = [
  [/("pressure": \{ "watch": )[^,]+, "elevated": [^,]+/, '0.16, "elevated": 0.3'],
  [/("flow": \{ "watch": )[^,]+, "elevated": [^,]+/, '0.25, "elevated": 0.5'],
  [/("fragility": \{ "watch": )[^,]+, "elevated": [^,]+/, '0.35, "elevated": 0.6'],
  [/("crowding": \{ "watch": )[^,]+, "elevated": [^,]+/, '0.4, "elevated": 0.7'],
  [/("forced_flow": \{ "watch": )[^,]+, "elevated": [^,]+/, '0.2, "elevated": 0.5'],
  [/("regime": \{ "watch": )[^,]+, "elevated": [^,]+/, '0.2, "elevated": 0.35'],
  [/("leave_ratio": )[\d.]+/, '0.5'],
  [/("dwell": \{\s+"packets": )\d+/, '3'],
  [/("elevated_from": )[\d.]+/, '0.4'],
  [/("high_from": )[\d.]+/, '0.5'],
  [/("critical_from": )[\d.]+/, '0.55'],
];

/** The shipped texts with the frozen numbers. */
export function frozenTexts(): Record<string, string> {
  const numbers = FROZEN.reduce(
    (text, [pattern, value]) => text.replace(pattern, (_all, before: string) => before + value),
    SHIPPED[NUMBERS] ?? '',
  );
  return { ...SHIPPED, [NUMBERS]: numbers };
}

export const FROZEN_NUMBERS = JSON.parse(frozenTexts()[NUMBERS] ?? '') as PolicyNumbers;

/** Edit of a file. `file` without `.json`; the first occurrence of `from` is replaced. */
export interface Edit {
  readonly file: string;
  readonly from: string;
  readonly to: string;
}

/**
 * Frozen texts with these edits.
 * @throws Error if an edit's `from` is missing
 */
export function editedTexts(...edits: readonly Edit[]): Record<string, string> {
  const texts = frozenTexts();
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
