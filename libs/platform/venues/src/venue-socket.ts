import WebSocket from 'ws';
import type { RawData } from 'ws';
import { VenueError } from './venue-source';

export interface ConnectionLimits {
  readonly connectMs: number;
  readonly pingEveryMs: number;
  readonly pongWithinMs: number;
  /** Larger frames are refused and counted; the connection stays open. */
  readonly frameBytesMax: number;
  readonly queueMax: number;
}

export const CONNECTION_LIMITS: ConnectionLimits = {
  connectMs: 10_000,
  pingEveryMs: 20_000,
  pongWithinMs: 10_000,
  frameBytesMax: 1_048_576,
  queueMax: 10_000,
};

/** A frame over this multiple of `frameBytesMax` ends the connection. */
const REFUSED_FRAME_FACTOR = 16;

/** Application-level ping; WebSocket pings are used without one. */
export interface Heartbeat {
  readonly text: string;
  isAnswer(text: string): boolean;
}

interface SocketListener {
  onText(text: string): void;
  onOversizedFrame(): void;
  /** Called once, last. Without `error`, the owner closed the socket. */
  onEnd(error: VenueError | undefined): void;
}

export interface VenueSocket {
  send(text: string): void;
  pause(): void;
  resume(): void;
  abandon(reason: string): void;
  close(): void;
}

/**
 * Ends when a ping stays unanswered, unless paused. Frames may reach the listener before this resolves.
 * @throws VenueError `unreachable`, or the signal's reason
 */
export function openSocket(
  url: string,
  limits: ConnectionLimits,
  listener: SocketListener,
  signal: AbortSignal,
  heartbeat?: Heartbeat,
): Promise<VenueSocket> {
  signal.throwIfAborted();
  const socket = new WebSocket(url, {
    handshakeTimeout: limits.connectMs,
    maxPayload: limits.frameBytesMax * REFUSED_FRAME_FACTOR,
    perMessageDeflate: false,
  });
  const life = new SocketLife(socket, limits, listener, heartbeat);
  const abort = (): void => life.close();
  signal.addEventListener('abort', abort, { once: true });
  socket.once('close', () => signal.removeEventListener('abort', abort));
  return new Promise((resolve, reject) => {
    socket.once('open', () => resolve(life));
    socket.once('close', () =>
      reject(
        signal.aborted ? signal.reason : new VenueError('unreachable', `no connection to ${new URL(url).host}`, { cause: life.cause }),
      ),
    );
  });
}

class SocketLife implements VenueSocket {
  cause: unknown;
  private lost: VenueError | undefined;
  private isClosedByOwner = false;
  private pings: NodeJS.Timeout | undefined;
  private pongTimer: NodeJS.Timeout | undefined;

  constructor(
    private readonly socket: WebSocket,
    private readonly limits: ConnectionLimits,
    private readonly listener: SocketListener,
    private readonly heartbeat: Heartbeat | undefined,
  ) {
    socket.on('open', () => {
      this.pings = setInterval(() => this.ping(), limits.pingEveryMs);
    });
    socket.on('message', (data) => this.take(buffered(data)));
    socket.on('pong', () => this.heard());
    socket.on('error', (cause) => this.give(new VenueError('connection_lost', 'the connection broke', { cause }), cause));
    socket.on('close', (code) => this.end(code));
  }

  send(text: string): void {
    this.socket.send(text, () => undefined);
  }

  pause(): void {
    this.socket.pause();
  }

  resume(): void {
    this.socket.resume();
  }

  abandon(reason: string): void {
    this.give(new VenueError('connection_lost', reason));
  }

  close(): void {
    this.isClosedByOwner = true;
    this.socket.terminate();
  }

  private take(bytes: Buffer): void {
    if (bytes.length > this.limits.frameBytesMax) return this.listener.onOversizedFrame();
    const text = bytes.toString('utf8');
    if (this.heartbeat?.isAnswer(text) === true) {
      this.heard();
      // Some venues answer with a bare word, which is no message.
      if (!text.startsWith('{')) return;
    }
    this.listener.onText(text);
  }

  private ping(): void {
    if (this.socket.readyState !== WebSocket.OPEN) return;
    if (this.heartbeat === undefined) this.socket.ping();
    else this.send(this.heartbeat.text);
    if (this.pongTimer === undefined) this.awaitPong();
  }

  private awaitPong(): void {
    const { pongWithinMs } = this.limits;
    this.pongTimer = setTimeout(() => {
      if (this.socket.isPaused) this.awaitPong();
      else this.give(new VenueError('connection_lost', `no answer to a ping within ${pongWithinMs} ms`));
    }, pongWithinMs);
  }

  private heard(): void {
    clearTimeout(this.pongTimer);
    this.pongTimer = undefined;
  }

  private give(error: VenueError, cause?: unknown): void {
    this.lost ??= error;
    this.cause ??= cause;
    this.socket.terminate();
  }

  private end(code: number): void {
    clearInterval(this.pings);
    this.heard();
    this.listener.onEnd(
      this.isClosedByOwner ? undefined : (this.lost ?? new VenueError('connection_lost', `the venue closed the connection (${code})`)),
    );
  }
}

function buffered(data: RawData): Buffer {
  if (Buffer.isBuffer(data)) return data;
  return Array.isArray(data) ? Buffer.concat(data) : Buffer.from(data);
}
