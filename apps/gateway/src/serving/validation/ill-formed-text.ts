import type { FaultItem } from '../errors/fault-item';

/** Half of a character has no bytes in UTF-8, so it would come out as another one; the databases store no U+0000. */
const FAULTS: readonly (readonly [RegExp, string])[] = [
  [/\p{Surrogate}/u, 'half of a character (a lone surrogate)'],
  [/\0/, 'the character U+0000'],
];

/** The fault of text that cannot be stored as it was sent; undefined if it can. `noun` begins the message, such as `has a name that `. */
export function illFormedText(loc: FaultItem['loc'], text: string, noun = ''): FaultItem | undefined {
  const found = FAULTS.find(([pattern]) => pattern.test(text));
  return found === undefined ? undefined : { loc, msg: `${noun}holds ${found[1]}`, type: 'ill_formed_text' };
}
