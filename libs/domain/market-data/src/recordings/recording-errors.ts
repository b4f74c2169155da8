/** The message names file, line and cause. */
export class RecordingError extends Error {
  override readonly name: string = 'RecordingError';
}

export class UnknownFormatError extends RecordingError {
  override readonly name = 'UnknownFormatError';
}

export class SeveralSymbolsError extends RecordingError {
  override readonly name = 'SeveralSymbolsError';

  constructor(readonly symbols: readonly string[]) {
    super(`the recording contains several symbols; choose one: ${symbols.join(', ')}`);
  }
}
