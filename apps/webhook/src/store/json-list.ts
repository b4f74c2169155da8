/** Between the documents of a list: JSON has none unescaped. */
const SEPARATOR = '\u001e';

/**
 * Documents as one parameter, null for a row without one: thousands of them are quoted much faster than as an array. `textsOf` takes
 * them apart.
 */
export function jsonList(documents: readonly unknown[]): string {
  return listOfJson(documents.map((each) => (each === null ? '' : JSON.stringify(each))));
}

/** The same of documents that are JSON already. */
export function listOfJson(texts: readonly string[]): string {
  return texts.join(SEPARATOR);
}

/** The texts of a parameter that `jsonList` made, as an array. */
export const textsOf = (parameter: string): string => `string_to_array(${parameter}, chr(30), '')`;
