import { connect } from 'node:net';

/** How a request that is written by hand is sent. */
export interface RawOrder {
  readonly port: number;
  readonly text: string;
  /** Ends the own half of the connection so long after the request, milliseconds. By default it stays open. */
  readonly halfCloseMs?: number;
}

const ANSWER_MS_MAX = 10_000;

/** Everything that came back until the peer closed, or nothing came for 10 s. */
export function exchangeRaw({ port, text, halfCloseMs }: RawOrder): Promise<string> {
  return new Promise((resolve) => {
    let received = '';
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
    socket.setEncoding('latin1');
    socket.setTimeout(ANSWER_MS_MAX, () => socket.destroy());
    socket.on('connect', () => {
      socket.write(text);
      if (halfCloseMs === 0) socket.end();
      else if (halfCloseMs !== undefined) setTimeout(() => socket.end(), halfCloseMs);
    });
    socket.on('data', (piece: string) => {
      received += piece;
    });
    socket.on('end', () => socket.destroy());
    socket.on('error', () => undefined);
    socket.on('close', () => resolve(received));
  });
}

export function statusOfRaw(received: string): number {
  return Number(/^HTTP\/1\.1 (\d{3})/.exec(received)?.[1] ?? 0);
}

/** How many answers by 200 there are in what came back. */
export function goodAnswersIn(received: string): number {
  return received.split('HTTP/1.1 200').length - 1;
}
