import { connect, type Socket } from 'node:net';

/** A connection with one call at a time, cheap enough for thousands of calls a second. */
export interface RawConnection {
  /** Sends a request whose answer `onAnswer` gets. Opens the connection where there is none. */
  send(request: string, onAnswer: (status: number | null) => void): void;
  close(): void;
}

const HEAD_END = '\r\n\r\n';
const ANSWER_MS_MAX = 15_000;

/** `null` for `onAnswer` means that the connection broke, or that nothing came in 15 s. */
export function openRawConnection(port: number, localAddress: string): RawConnection {
  let socket: Socket | null = null;
  let pending: ((status: number | null) => void) | null = null;
  let received = '';

  function settle(status: number | null): void {
    const done = pending;
    pending = null;
    received = '';
    done?.(status);
  }

  function open(): Socket {
    const made = connect({ port, host: '127.0.0.1', localAddress, noDelay: true });
    made.setEncoding('latin1');
    made.setTimeout(ANSWER_MS_MAX, () => made.destroy());
    made.on('data', (piece: string) => read(made, piece));
    made.on('error', () => undefined);
    made.on('close', () => {
      if (socket !== made) return;
      socket = null;
      settle(null);
    });
    return made;
  }

  function read(from: Socket, piece: string): void {
    received += piece;
    const headEnd = received.indexOf(HEAD_END);
    if (headEnd < 0) return;
    const head = received.slice(0, headEnd).toLowerCase();
    if (!isWhole(head, received, headEnd + HEAD_END.length)) return;
    if (head.includes('\r\nconnection: close')) {
      socket = null;
      from.destroy();
    }
    settle(Number(head.slice(9, 12)));
  }

  return {
    send(request, onAnswer) {
      pending = onAnswer;
      socket ??= open();
      socket.write(request, 'latin1');
    },
    close() {
      const open = socket;
      socket = null;
      open?.destroy();
      settle(null);
    },
  };
}

function isWhole(head: string, received: string, bodyStart: number): boolean {
  const length = /\r\ncontent-length: (\d+)/.exec(head)?.[1];
  if (length !== undefined) return received.length >= bodyStart + Number(length);
  return head.includes('\r\ntransfer-encoding: chunked') ? received.endsWith('0\r\n\r\n') : true;
}
