/** A file of a recording, unpacked. `name` tells what the content does not, and stands in errors. */
export interface RecordingFile {
  readonly name: string;
  /** The lines, without line ends, some at a time: what `recordingLineBatches` gives. Read once. */
  readonly lines: AsyncIterable<readonly string[]>;
}
