/** What is to be verified cannot be used as it is, or not all of it is there. Each line is a sentence for whoever gave it. */
export class SourceError extends Error {
  override readonly name = 'SourceError';

  /** @param reason `unusable`: it is faulty; `foreign`: a line is none of ours; `incomplete`: something that it needs is missing */
  constructor(
    readonly reason: 'unusable' | 'foreign' | 'incomplete',
    readonly lines: readonly string[],
  ) {
    super(lines.join('\n'));
  }
}

/** The error of something faulty. */
export function unusable(...lines: readonly string[]): SourceError {
  return new SourceError('unusable', lines);
}
