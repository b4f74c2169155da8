import { type IncomingMessage, request } from 'node:http';

/** Message as an EventSource would dispatch it. */
export interface StreamMessage {
  readonly event: string;
  readonly data: string;
  /** Last event id at dispatch. */
  readonly lastEventId: string;
  /** True if the message itself had an `id:` line. */
  readonly hasId: boolean;
}

/**
 * Parses text/event-stream by the WHATWG specification: lines end with CR LF, LF or CR; a leading colon marks a
 * comment; one space after the field's colon is dropped; a blank line dispatches; an id with NUL is ignored.
 */
export function createEventStreamParser(dispatch: (message: StreamMessage) => void) {
  const decoder = new TextDecoder('utf-8');
  let rest = '';
  let event = '';
  let data: string[] = [];
  let hasId = false;
  let lastEventId = '';
  let retryMs: number | null = null;

  function takeField(name: string, value: string): void {
    if (name === 'event') event = value;
    else if (name === 'data') data.push(value);
    else if (name === 'id' && !value.includes('\0')) {
      lastEventId = value;
      hasId = true;
    } else if (name === 'retry' && /^\d+$/.test(value)) retryMs = Number(value);
  }

  function takeLine(line: string): void {
    if (line === '') {
      if (data.length > 0) dispatch({ event: event === '' ? 'message' : event, data: data.join('\n'), lastEventId, hasId });
      event = '';
      data = [];
      hasId = false;
      return;
    }
    if (line.startsWith(':')) return;
    const colon = line.indexOf(':');
    if (colon === -1) takeField(line, '');
    else takeField(line.slice(0, colon), line.slice(colon + (line[colon + 1] === ' ' ? 2 : 1)));
  }

  return {
    push(chunk: Uint8Array): void {
      rest += decoder.decode(chunk, { stream: true });
      // A trailing CR may be the first half of CR LF.
      for (let match = /\r\n|\n|\r(?!$)/.exec(rest); match !== null; match = /\r\n|\n|\r(?!$)/.exec(rest)) {
        takeLine(rest.slice(0, match.index));
        rest = rest.slice(match.index + match[0].length);
      }
    },
    retryMs: () => retryMs,
    lastEventId: () => lastEventId,
  };
}

export interface OpenedStream {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  /** Messages so far, and the raw text. */
  readonly messages: StreamMessage[];
  text(): string;
  retryMs(): number | null;
  /** Resolves when `enough` holds. @throws {Error} with the last message if the answer ends first */
  until(enough: (messages: readonly StreamMessage[]) => boolean): Promise<void>;
  ended: Promise<void>;
  /** Stops reading, so that the connection fills up. */
  pause(): void;
  resume(): void;
  cut(): void;
}

export function openStream(url: string, headers: Readonly<Record<string, string>>): Promise<OpenedStream> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { headers, agent: false }, (response) => {
      const messages: StreamMessage[] = [];
      const chunks: Buffer[] = [];
      let wake = (): void => undefined;
      let over = false;
      const parser = createEventStreamParser((message) => messages.push(message));
      response.on('data', (chunk: Buffer) => {
        chunks.push(chunk);
        parser.push(chunk);
        wake();
      });
      const ended = new Promise<void>((done) => {
        response.once('close', () => {
          over = true;
          wake();
          done();
        });
      });
      response.on('error', () => undefined);
      resolve({
        status: response.statusCode ?? 0,
        headers: response.headers,
        messages,
        text: () => Buffer.concat(chunks).toString('utf8'),
        retryMs: parser.retryMs,
        async until(enough) {
          while (!enough(messages)) {
            if (over) throw new Error(`The stream ended after ${messages.length} messages: ${JSON.stringify(messages.at(-1))}`);
            await new Promise<void>((done) => (wake = done));
          }
        },
        ended,
        pause: () => response.pause(),
        resume: () => response.resume(),
        cut: () => sent.destroy(),
      });
    });
    sent.on('error', reject);
    sent.end();
  });
}
