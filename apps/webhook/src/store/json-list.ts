/** Between the documents of a list: JSON has none unescaped. */
const SEPARATOR = '\u001e';

/**
 * Documents as one parameter, null for a row without one: thousands of them are quoted much faster than as an array. `textsOf` takes
 * them apart.
 */
export function jsonList(documents: readonly unknown[]): string {
  return documents.map((each) => (each === null ? '' : JSON.stringify(each))).join(SEPARATOR);
}

/** The texts of a parameter that `jsonList` made, as an array. */
export const textsOf = (parameter: string): string => `string_to_array(${parameter}, chr(30), '')`;
