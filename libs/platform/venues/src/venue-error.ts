/** What went wrong between us and a venue. */
export type VenueFault =
  /** No connection, or no answer, within the deadline. */
  | 'unreachable'
  /** An open connection ended, no longer answers pings, or brings nothing of a channel. */
  | 'connection_lost'
  /** The venue's answer is unusable: its status, its size, or text that is not JSON. */
  | 'bad_answer';

/** A venue failed. `message` is safe to log and contains only the venue's public names. */
export class VenueError extends Error {
  override readonly name = 'VenueError';

  constructor(
    readonly fault: VenueFault,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}
