/** Input that can't be read as a recording. The message says which file, which line and why. */
export class RecordingError extends Error {
  override readonly name: string = 'RecordingError';
}

/** The first line of a file fits none of the formats. The message names those known. */
export class UnknownFormatError extends RecordingError {
  override readonly name = 'UnknownFormatError';
}

/** The recording holds several symbols, and none was chosen. */
export class SeveralSymbolsError extends RecordingError {
  override readonly name = 'SeveralSymbolsError';

  constructor(readonly symbols: readonly string[]) {
    super(`the recording holds several symbols, choose one: ${symbols.join(', ')}`);
  }
}
