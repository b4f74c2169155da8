import type { ServerResponse } from 'node:http';

/**
 * Calls back once, when an answer has ended, sent or not: at once where its connection is closed already. Node says nothing of an answer
 * that waits behind another when their connection closes, so the connection is listened to as well. Gives the way to stop it.
 */
export function onAnswerOver(res: ServerResponse, listener: () => void): () => void {
  const { socket } = res.req;
  const stop = (): void => {
    res.off('close', over);
    socket.off('close', over);
  };
  const over = (): void => {
    stop();
    listener();
  };
  if (res.closed || socket.closed) {
    listener();
    return stop;
  }
  // Of answers that wait their turn on one connection each listens.
  socket.setMaxListeners(0);
  res.once('close', over);
  socket.once('close', over);
  return stop;
}
