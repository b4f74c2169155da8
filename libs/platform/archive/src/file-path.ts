/** Characters with a meaning in patterns of file names, which DuckDB takes paths as. */
const PATTERN = /[*?[\]{}]/;

/** @throws RangeError when a path has a character with a meaning in patterns of file names */
export function refusePattern(path: string): void {
  if (PATTERN.test(path)) throw new RangeError(`the folder of a store must not have one of * ? [ ] { } in its path: ${path}`);
}
