import type { BookStream } from '../message-queue';
import type { Heartbeat } from '../venue-socket';

/** One request to a socket, and the keys that its acknowledgements carry. */
export interface StreamRequest {
  readonly socket: number;
  readonly text: string;
  readonly keys: readonly string[];
}

/** Reply to requests. A refusal may name the instruments; otherwise all of the request are meant. */
export type StreamReply =
  | { readonly type: 'accepted'; readonly keys: readonly string[] }
  | { readonly type: 'refused'; readonly reason: string; readonly instrument?: string };

/** Undefined if the text is not a JSON object. */
export function parseReply(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const parsed: unknown = JSON.parse(text);
    return typeof parsed === 'object' && parsed !== null ? (parsed as Readonly<Record<string, unknown>>) : undefined;
  } catch {
    return undefined;
  }
}

/** History that a venue answers by REST, and the frame in which the answer is inserted. */
export interface BackfillRequest {
  readonly path: string;
  frameOf(answer: string): string;
}

/** Public streams of a venue whose book subscriptions start with a whole book. */
export interface StreamProtocol {
  /** Paths below the WebSocket address. */
  readonly sockets: readonly string[];
  readonly heartbeat?: Heartbeat;
  /** Instruments of one subscription request. */
  readonly batchMax: number;
  /** @param what `all` channels, or only the `book`, whose new subscription brings a whole one */
  requests(method: 'subscribe' | 'unsubscribe', instruments: readonly string[], what: 'all' | 'book', id: number): readonly StreamRequest[];
  /** Must not throw. */
  replyOf(text: string): StreamReply | undefined;
  /** Undefined if the frame must never be dropped. */
  bookOf(text: string): BookStream | undefined;
  isWholeBook(text: string): boolean;
  backfill(instrument: string): readonly BackfillRequest[];
}
