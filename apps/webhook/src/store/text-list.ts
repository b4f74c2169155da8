/** Between the values of a list: neither JSON nor an id has it. */
const SEPARATOR = '\u001e';

/**
 * Texts as one parameter, null for a row without one: thousands of them are quoted much faster than as an array. `textsOf` takes
 * them apart; an empty text comes out of it as null.
 */
export function textList(texts: readonly (string | null)[]): string {
  return texts.join(SEPARATOR);
}

/** Documents as one parameter, in the same way. */
export function jsonList(documents: readonly unknown[]): string {
  return textList(documents.map((each) => (each === null ? null : JSON.stringify(each))));
}

/** The texts of a parameter that `textList` made, as an array. */
export const textsOf = (parameter: string): string => `string_to_array(${parameter}, chr(30), '')`;
