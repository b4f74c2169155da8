/** A file of the archive is not what was verified when it was written. */
export class ArchiveCorruptError extends Error {
  override readonly name = 'ArchiveCorruptError';

  /** @param what what is wrong, as a clause */
  constructor(
    readonly key: string,
    what: string,
    options?: ErrorOptions,
  ) {
    super(`archive file ${key}: ${what}`, options);
  }
}
