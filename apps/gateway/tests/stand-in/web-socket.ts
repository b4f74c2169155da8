import WebSocket, { type ClientOptions } from 'ws';
import type { StreamMessage } from './event-stream';
import type { RawResponse } from './http-client';

export interface OpenedSocket {
  readonly headers: RawResponse['headers'];
  readonly messages: StreamMessage[];
  /** Texts as sent. */
  readonly texts: string[];
  readonly socket: WebSocket;
  /** Resolves when `enough` holds. @throws {Error} if the socket closes first */
  until(enough: (messages: readonly StreamMessage[]) => boolean): Promise<void>;
  readonly closed: Promise<{ readonly code: number; readonly reason: string }>;
  cut(): void;
}

interface Refused {
  readonly status: number;
  readonly headers: RawResponse['headers'];
  readonly body: Record<string, unknown>;
}

type Headers = Readonly<Record<string, string>>;

const webSocketUrl = (url: string): string => url.replace(/^http/, 'ws');

interface TextMessage {
  readonly id: string | null;
  readonly event: string;
  readonly data: unknown;
}

/** `data` is that of the text, unparsed. */
function parse(text: string): StreamMessage {
  const { id, event } = JSON.parse(text) as TextMessage;
  return { event, data: text.slice(text.indexOf(',"data":') + 8, -1), lastEventId: id ?? '', hasId: id !== null };
}

export function openSocket(url: string, headers: Headers, options: ClientOptions = {}): Promise<OpenedSocket> {
  const socket = new WebSocket(webSocketUrl(url), { ...options, headers });
  const messages: StreamMessage[] = [];
  const texts: string[] = [];
  let wake = (): void => undefined;
  let over = false;
  let head: RawResponse['headers'] = {};
  socket.on('upgrade', (response) => (head = response.headers));
  socket.on('message', (data: Buffer) => {
    texts.push(data.toString('utf8'));
    messages.push(parse(data.toString('utf8')));
    wake();
  });
  const closed = new Promise<{ code: number; reason: string }>((resolve) => {
    socket.once('close', (code, reason) => {
      over = true;
      wake();
      resolve({ code, reason: reason.toString('utf8') });
    });
  });
  return new Promise((resolve, reject) => {
    socket.on('error', reject);
    socket.once('open', () =>
      resolve({
        headers: head,
        messages,
        texts,
        socket,
        async until(enough) {
          while (!enough(messages)) {
            if (over) throw new Error(`The socket closed after ${messages.length} messages: ${texts.at(-1)}`);
            await new Promise<void>((done) => (wake = done));
          }
        },
        closed,
        cut: () => socket.terminate(),
      }),
    );
  });
}

/** @throws {Error} if the handshake succeeds */
export function refusedSocket(url: string, headers: Headers): Promise<Refused> {
  const socket = new WebSocket(webSocketUrl(url), { headers });
  return new Promise((resolve, reject) => {
    socket.on('error', reject);
    socket.once('open', () => {
      socket.terminate();
      reject(new Error('the handshake succeeded'));
    });
    socket.once('unexpected-response', (_request, response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          body: JSON.parse(Buffer.concat(chunks).toString('utf8')) as Record<string, unknown>,
        }),
      );
    });
  });
}

/** Headers of a handshake without a credential. */
export const HANDSHAKE = [
  'Host: localhost',
  'Connection: Upgrade',
  'Upgrade: websocket',
  'Sec-WebSocket-Version: 13',
  'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==',
] as const;

export const handshake = (path: string, lines: readonly string[]): string => [`GET ${path} HTTP/1.1`, ...lines, '', ''].join('\r\n');
