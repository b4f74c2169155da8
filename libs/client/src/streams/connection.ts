import { TransportError } from '../errors';
import { type Given, addressOf, factsOf } from '../call/request';
import { startDeadline } from '../call/deadline';
import { callFactsOf, problemIn } from '../call/read-answer';
import { credentialOf, newId, type Settings } from '../call/settings';
import type { StreamId } from './types';

export interface ServerEvent {
  readonly event: string;
  /** Empty if the event has none. */
  readonly id: string;
  readonly data: string;
}

/** Lines may end in CR, LF or both. Skips comments and unknown fields. */
export function createEventParser(): (piece: string) => ServerEvent[] {
  let rest = '';
  let fields = { event: '', id: '', data: [] as string[] };

  function take(line: string, events: ServerEvent[]): void {
    if (line === '') {
      if (fields.data.length > 0) events.push({ event: fields.event || 'message', id: fields.id, data: fields.data.join('\n') });
      fields = { event: '', id: '', data: [] };
      return;
    }
    const colon = line.indexOf(':');
    const name = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '');
    if (name === 'event') fields.event = value;
    else if (name === 'id') fields.id = value;
    else if (name === 'data') fields.data.push(value);
  }

  return (piece) => {
    const events: ServerEvent[] = [];
    rest += piece;
    // A CR at the end may be half of a CRLF.
    const lines = rest.split(/\r\n|\n|\r(?!$)/);
    rest = lines.pop() ?? '';
    for (const line of lines) take(line, events);
    return events;
  };
}

interface Opening {
  readonly id: StreamId;
  readonly query: Given;
  /** Id of the last message received; null to start from now. */
  readonly after: string | null;
  readonly maxCredits: number;
  readonly silenceMs: number;
  /** Called once the service accepts the connection. */
  readonly onOpen: () => void;
  readonly signal: AbortSignal | undefined;
}

/**
 * Until the connection closes.
 * @throws ProblemError if it is rejected, TransportError if it fails, breaks or is silent; the reason of the signal
 */
export async function* readConnection(settings: Settings, opening: Opening): AsyncGenerator<ServerEvent, void, undefined> {
  const { id, query, after, maxCredits, silenceMs, onOpen, signal } = opening;
  const { headers, credentials } = credentialOf(settings, false);
  const requestId = newId('req_');
  const deadline = startDeadline(silenceMs, signal);
  const facts = factsOf(id, settings);
  try {
    const response = await settings.fetch(`${settings.baseUrl}${addressOf(facts, query).address}`, {
      credentials,
      headers: {
        ...headers,
        accept: 'text/event-stream',
        'x-request-id': requestId,
        'x-max-credits': String(maxCredits),
        ...(after === null ? {} : { 'last-event-id': after }),
      },
      signal: deadline.signal,
    });
    if (!response.ok || response.body === null) throw await problemIn(response, requestId, 1);
    onOpen();
    settings.onAnswer(id, callFactsOf(response, requestId, 1));
    const parse = createEventParser();
    const decoder = new TextDecoder();
    const reader = response.body.getReader();
    for (;;) {
      deadline.restart(silenceMs);
      const { done, value } = await reader.read();
      if (done) return;
      yield* parse(decoder.decode(value, { stream: true }));
    }
  } catch (error) {
    if (signal?.aborted === true) throw signal.reason;
    if (error instanceof Error && 'requestId' in error) throw error;
    throw new TransportError(
      deadline.isOver() ? 'The stream was silent for too long.' : 'The stream was interrupted.',
      requestId,
      1,
      error,
      `GET ${settings.baseUrl}${facts.path}`,
    );
  } finally {
    // Also when the reader leaves the loop: closing the connection stops metering.
    deadline.abort();
  }
}
