import type { IncomingMessage, ServerResponse } from 'node:http';

/**
 * Whether the bytes of an answer that was just ended went to an open connection: true where the system has them all, false where the
 * connection cannot take them, null where that is still to come.
 */
export function deliveredAtOnce({ socket }: IncomingMessage, res: ServerResponse): boolean | null {
  if (!socket.writable) return false;
  return res.socket !== null && res.writableLength === 0 ? true : null;
}

/** Calls back once: when the rest of an answer has gone out, or when its connection ended first. */
export function onDelivery({ socket }: IncomingMessage, res: ServerResponse, done: (isDelivered: boolean) => void): void {
  const end = (isDelivered: boolean): void => {
    res.off('finish', onFinish);
    socket.off('close', onClose);
    done(isDelivered);
  };
  // Node finishes an answer too whose connection broke under it.
  const onFinish = (): void => end(!socket.destroyed && socket.errored === null);
  const onClose = (): void => end(false);
  res.once('finish', onFinish);
  // Of answers that wait their turn on one connection each listens.
  socket.setMaxListeners(0);
  socket.once('close', onClose);
}
