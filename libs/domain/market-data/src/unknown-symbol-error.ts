/** A symbol that is not there: in the instrument table, or in a recording. */
export class UnknownSymbolError extends Error {
  override readonly name = 'UnknownSymbolError';
}
