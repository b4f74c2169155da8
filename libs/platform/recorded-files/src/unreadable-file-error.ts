/** A file's content cannot be read; the message completes a sentence that starts with the file's name. */
export class UnreadableFileError extends Error {
  override readonly name = 'UnreadableFileError';
}
