import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import type { OutText } from '../faults/misbehaviour';
import type { OutFrame, Stream } from '../protocol/frames';
import { readRequest } from '../protocol/requests';
import { urlOf } from './http';

const REQUEST_BYTES_MAX = 65_536;
const CONNECTIONS_MAX = 100;
/** Backlog limit of a slow client, beyond which it is disconnected. */
const WAITING_BYTES_MAX = 16 * 1_048_576;

interface ConnectionDeps {
  /** First frames of a subscription. */
  opening(stream: Stream): readonly OutFrame[];
  hasCoin(): boolean;
}

export class Connections {
  private readonly server = new WebSocketServer({ noServer: true, maxPayload: REQUEST_BYTES_MAX, perMessageDeflate: false });
  private readonly subscribed = new Map<WebSocket, Set<Stream>>();
  /** Frames sent so far, without opening frames and responses. */
  sentTotal = 0;

  constructor(private readonly venue: ConnectionDeps) {}

  get count(): number {
    return this.subscribed.size;
  }

  /** Handles an upgrade request; refuses it while disconnected or full. */
  accept(request: IncomingMessage, socket: Duplex, head: Buffer, isAway: boolean): void {
    if (isAway || this.subscribed.size >= CONNECTIONS_MAX || urlOf(request)?.pathname !== '/ws') {
      socket.end('HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\nContent-Length: 0\r\n\r\n');
      return;
    }
    this.server.handleUpgrade(request, socket, head, (client) => this.serve(client));
  }

  send(texts: readonly OutText[]): void {
    for (const [client, streams] of this.subscribed) {
      if (client.bufferedAmount > WAITING_BYTES_MAX) client.terminate();
      else for (const { stream, text } of texts) if (stream === 'everyone' || streams.has(stream)) this.hand(client, text);
    }
  }

  /** Terminates connections without a close frame. */
  endAll(): void {
    for (const client of this.subscribed.keys()) client.terminate();
  }

  /** Resolves once every client has read its frames: it answered a ping sent after them, or is gone. */
  async flushed(): Promise<void> {
    await Promise.all([...this.subscribed.keys()].map(answered));
  }

  private serve(client: WebSocket): void {
    const streams = new Set<Stream>();
    this.subscribed.set(client, streams);
    client.on('close', () => this.subscribed.delete(client));
    client.on('error', () => client.terminate());
    client.on('message', (data: Buffer) => this.answer(client, streams, data.toString('utf8')));
  }

  private answer(client: WebSocket, streams: Set<Stream>, text: string): void {
    const request = readRequest(text);
    switch (request.type) {
      case 'ping':
        return client.send('{"channel":"pong"}');
      case 'refused':
        return this.refuse(client, request.sentence);
      case 'subscribe': {
        if (!this.venue.hasCoin()) return this.refuse(client, `Invalid subscription ${JSON.stringify(request.echo)}`);
        if (streams.has(request.stream)) return this.refuse(client, `Already subscribed: ${JSON.stringify(request.echo)}`);
        streams.add(request.stream);
        this.acknowledge(client, 'subscribe', request.echo);
        for (const { frame } of this.venue.opening(request.stream)) client.send(JSON.stringify(frame));
        return;
      }
      case 'unsubscribe':
        if (!streams.delete(request.stream)) return this.refuse(client, `Already unsubscribed: ${JSON.stringify(request.echo)}`);
        return this.acknowledge(client, 'unsubscribe', request.echo);
    }
  }

  private acknowledge(client: WebSocket, method: string, subscription: unknown): void {
    client.send(JSON.stringify({ channel: 'subscriptionResponse', data: { method, subscription } }));
  }

  private refuse(client: WebSocket, sentence: string): void {
    client.send(JSON.stringify({ channel: 'error', data: sentence }));
  }

  private hand(client: WebSocket, text: string): void {
    this.sentTotal++;
    client.send(text);
  }
}

function answered(client: WebSocket): Promise<void> {
  return new Promise((resolve) => {
    if (client.readyState !== client.OPEN) return resolve();
    const done = (): void => {
      client.off('pong', done);
      client.off('close', done);
      resolve();
    };
    client.on('pong', done);
    client.on('close', done);
    client.ping();
  });
}
