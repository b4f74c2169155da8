import type { Duplex } from 'node:stream';

/** What a peer gets to read its last answer and to close, milliseconds. */
const LINGER_MS = 500;

/** Sends the last bytes of a connection, and destroys it shortly after, whether its peer has closed or not. */
export function endConnection(socket: Duplex, lastBytes: string): void {
  const cut = setTimeout(() => socket.destroy(), LINGER_MS);
  socket.once('close', () => clearTimeout(cut));
  socket.end(lastBytes);
}
