import { InvalidRequest } from '../../serving/errors/fault-item';

const WORDS_MAX = 32;

/**
 * The words of a search: what stands between other characters than letters and digits, so that a tag or a state may be sent as it is.
 * @throws InvalidRequest for text of which something would not be looked for: numbers, or too many words
 */
export function searchWords(text: string): string[] {
  const words = [
    ...new Set(
      text
        .toLowerCase()
        .split(/[^\p{L}\p{N}]+/u)
        .filter((word) => word !== ''),
    ),
  ];
  const faults: string[] = [];
  if (text.trim() !== '' && words.length === 0) faults.push('must hold a word');
  if (words.some((word) => !/\p{L}/u.test(word))) faults.push('must not hold numbers: words of tags, reasons and state are searched');
  if (words.length > WORDS_MAX) faults.push(`must hold at most ${WORDS_MAX} words`);
  if (words.some((word) => word.length > 64)) faults.push('must hold words of at most 64 characters');
  if (faults.length > 0) throw new InvalidRequest([{ loc: ['query', 'q'], msg: faults.join('; '), type: 'malformed' }]);
  return words;
}
