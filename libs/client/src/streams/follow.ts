import { pause, startDeadline } from '../call/deadline';
import { type Given, addressOf, factsOf } from '../call/request';
import { type Settings, credentialOf, newId } from '../call/settings';
import { waitMs } from '../call/retry';
import { BudgetError, GoneError, ProblemError, StreamEnded, TransportError } from '../errors';
import type { ConnectionStatus, EndMessage, HoleMessage, StreamId, StreamMessage } from './types';
import { callFactsOf, problemIn } from '../call/read-answer';

const MESSAGES_A_CREDIT = 100;

/** Credits of a stream over all its connections. */
interface Allowance {
  /** Credits left for further messages. */
  left(): number;
  /** Credits for the messages received so far. */
  spent(): number;
  /** Starts a connection: hundreds are counted per connection. */
  connect(): ConnectionMeter;
}

interface ConnectionMeter {
  /** False if the message starts a hundred that is not covered. */
  take(): boolean;
}

/** Counts like the service: one credit per started hundred messages of each connection. */
export function createAllowance(maxCredits: number): Allowance {
  let spent = 0;
  return {
    left: () => maxCredits - spent,
    spent: () => spent,
    connect() {
      let messages = 0;
      return {
        take() {
          if (messages % MESSAGES_A_CREDIT === 0) {
            if (spent >= maxCredits) return false;
            spent += 1;
          }
          messages += 1;
          return true;
        },
      };
    },
  };
}

export interface Following {
  readonly id: StreamId;
  /** Requested symbols; may include `ALL`. */
  readonly symbols: readonly string[];
  readonly query: Given;
  readonly resumeFrom: string | null;
  readonly silenceMs: number;
  readonly onConnection: (standing: ConnectionStatus) => void;
  readonly signal: AbortSignal | undefined;
  readonly allowance: Allowance;
  /** Fills a symbol's gap before the first message after it. */
  readonly backfill: undefined | ((symbol: string, first: StreamMessage) => AsyncIterable<StreamMessage>);
}

/** End codes after which the same stream is reopened. */
const PASSING_ENDS: ReadonlySet<string> = new Set(['service_stopping', 'upstream_lost', 'key_unverified', 'metering_unavailable']);
const PASSING_STATUSES: ReadonlySet<number> = new Set([429, 503, 504]);
/** Message types that trigger a backfill. */
const FIRST_TYPES: ReadonlySet<string> = new Set(['packet', 'row', 'conflated']);
/** Consecutive connections without a message after which the stream fails. */
const FAILURES_MAX = 16;
/** Ids remembered to drop duplicates. */
const IDS_MAX = 4_096;

interface ServerEvent {
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
async function* readConnection(settings: Settings, opening: Opening): AsyncGenerator<ServerEvent, void, undefined> {
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

/** Over as many connections as needed; each resumes after the last message received. */
export async function* followStream(settings: Settings, following: Following): AsyncGenerator<StreamMessage, void, undefined> {
  const { id, symbols, query, allowance, silenceMs, onConnection, signal } = following;
  const onOpen = (): void => onConnection({ state: 'open' });
  const wait = (ms: number, cause?: unknown): Promise<void> => {
    onConnection({ state: 'waiting', waitMs: ms, cause });
    return pause(ms, signal);
  };
  const seen = createSeen();
  let after = following.resumeFrom;
  const holes = new Set<string>();
  let failures = 0;

  for (;;) {
    const meter = allowance.connect();
    try {
      const opening = { id, query, after, maxCredits: allowance.left(), silenceMs, onOpen, signal };
      for await (const event of readConnection(settings, opening)) {
        failures = 0;
        const message = messageOf(symbols, event);
        if (event.event === 'heartbeat') after = event.id || after;
        if (message === null) continue;
        if (message.type === 'end') {
          if (PASSING_ENDS.has(message.code)) break;
          yield { ...message, resumeId: message.resumeId ?? after };
          return;
        }
        if (event.id !== '' && !meter.take()) {
          yield { type: 'end', code: 'credits_exhausted', resumeId: after };
          return;
        }
        if (event.id !== '' && !seen.add(event.id)) continue;
        if (FIRST_TYPES.has(message.type) && holes.delete(message.symbol)) yield* filling(following, message);
        if (event.id !== '') after = event.id;
        yield message;
      }
      failures += 1;
    } catch (error) {
      if (signal?.aborted === true) throw signal.reason;
      if (error instanceof GoneError && after !== null) {
        const gone = missingSpansOf(error, symbols, after);
        for (const { symbol } of gone) holes.add(symbol);
        yield* gone;
        after = error.resumeId;
        continue;
      }
      failures += 1;
      if (!isPassing(error)) throw after === null && failures === 1 ? error : new StreamEnded(codeOf(error), after, error);
      if (failures > FAILURES_MAX) throw new StreamEnded(codeOf(error), after, error);
      await wait(Math.max(requestedWait(error), waitMs(failures, settings.random)), error);
      continue;
    }
    if (failures > FAILURES_MAX) throw new StreamEnded('connection_lost', after, undefined);
    await wait(waitMs(failures, settings.random));
  }
}

/** Symbols with permanently missing messages. */
function missingSpansOf(error: GoneError, symbols: readonly string[], afterId: string): HoleMessage[] {
  const { gone, oldestUtc } = error;
  const named = gone.length > 0 ? gone : symbols.map((symbol) => ({ symbol, oldest_available_utc: oldestUtc }));
  return named.map(({ symbol, oldest_available_utc: oldest }) => ({ type: 'hole', symbol, afterId, oldestUtc: oldest }));
}

/** Backfills a gap; errors leave the gap as already reported. */
async function* filling(
  { backfill, signal }: Following,
  first: Exclude<StreamMessage, EndMessage>,
): AsyncGenerator<StreamMessage, void, undefined> {
  try {
    if (backfill !== undefined) yield* backfill(first.symbol, first);
  } catch (error) {
    if (signal?.aborted === true) throw signal.reason;
    if (!(error instanceof ProblemError || error instanceof TransportError || error instanceof BudgetError)) throw error;
  }
}

/** A new connection may help. A message with invalid JSON was damaged in transit. */
function isPassing(error: unknown): boolean {
  return (
    error instanceof TransportError || error instanceof SyntaxError || (error instanceof ProblemError && PASSING_STATUSES.has(error.status))
  );
}

function requestedWait(error: unknown): number {
  return error instanceof ProblemError ? (error.retryAfterMs ?? 0) : 0;
}

function codeOf(error: unknown): string {
  return error instanceof ProblemError && error.code !== '' ? error.code : 'connection_lost';
}

/** Message of an event; null for an empty or unknown one. */
function messageOf(symbols: readonly string[], { event, id, data }: ServerEvent): StreamMessage | null {
  switch (event) {
    case 'packet':
    case 'row':
    case 'gap':
    case 'conflated':
      return { ...placed(symbols, event, data), id } as StreamMessage;
    case 'skipped':
    case 'plan':
    case 'receipt':
      return placed(symbols, event, data) as StreamMessage;
    case 'end': {
      const { code, resume_id: resumeId } = JSON.parse(data) as { readonly code: string; readonly resume_id: string | null };
      return { type: 'end', code, resumeId };
    }
    default:
      return null;
  }
}

function placed(symbols: readonly string[], type: string, text: string) {
  const data = JSON.parse(text) as Said;
  return { type, symbol: data.symbol ?? (data.row ?? data.packet)?.symbol ?? symbols[0], data };
}

/** Places where a message names its symbol. */
interface Said {
  readonly symbol?: string;
  readonly row?: { readonly symbol?: string };
  readonly packet?: { readonly symbol?: string };
}

/** Most recently seen ids. */
function createSeen(): { add(id: string): boolean } {
  const ids = new Set<string>();
  return {
    add(id) {
      if (ids.has(id)) return false;
      ids.add(id);
      if (ids.size > IDS_MAX) ids.delete(ids.values().next().value as string);
      return true;
    },
  };
}
