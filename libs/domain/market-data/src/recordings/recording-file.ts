/** A file of a recording, unpacked. `name` tells what the content does not, and stands in errors. */
export interface RecordingFile {
  readonly name: string;
  /** The lines, without line ends, some at a time: what `recordingLineBatches` gives. Read once, unless it is repeatable. */
  readonly lines: AsyncIterable<readonly string[]>;
  /**
   * `lines` gives the same again each time it is iterated. Then none of a file's lines are kept from its opening to its reading: they
   * are read a second time. Default: false.
   */
  readonly isRepeatable?: boolean;
}
