import { readMarket } from '../market';
import { type InstrumentRow, type PlayedInstrument, UnknownSymbolError } from '../played-instrument';
import type { OpenedRecording } from './format';
import { type Batch, type MessageKind, playMessages, isBelievable, playPass } from './play-messages';
import { type RecordingNotes, SeveralSymbolsError, RecordingError } from './recording-notes';
import type { RecordingSpan } from '../pass-player';

export interface MessageFile<Message> {
  readonly name: string;
  readonly firstReceivedMs: number | undefined;
  messages(): AsyncIterable<Batch<Message>>;
}

/**
 * Concatenates files in the given order.
 * @throws RecordingError if a file starts before the first or last line of the previous one
 */
export async function* filesInOrder<Message>(files: readonly MessageFile<Message>[]): AsyncGenerator<Batch<Message>> {
  for (const [index, file] of files.entries()) checkBegins(file, files[index - 1], files[index - 1]?.firstReceivedMs);
  let before: MessageFile<Message> | undefined;
  let endMs: number | undefined;
  for (const file of files) {
    checkBegins(file, before, endMs);
    before = file;
    endMs = file.firstReceivedMs;
    for await (const batch of file.messages()) {
      const knownMs = endMs;
      endMs = batch.findLast((received) => received !== undefined && isBelievable(received.receivedMs, knownMs))?.receivedMs ?? endMs;
      yield batch;
    }
  }
}

function checkBegins<Message>(
  { name, firstReceivedMs }: MessageFile<Message>,
  before: MessageFile<Message> | undefined,
  beforeMs: number | undefined,
): void {
  if (before === undefined || firstReceivedMs === undefined || beforeMs === undefined || firstReceivedMs >= beforeMs) return;
  throw new RecordingError(`${name} starts before ${before.name} ends: pass the files in chronological order`);
}

/** Older messages are backlog, not part of the recorded span. */
const BACKLOG_MS = 10_000;

export class SpanOfMessages {
  private firstReceivedMs: number | undefined;
  private lastReceivedMs = 0;
  private firstExchangeMs: number | undefined;
  private lastExchangeMs = 0;

  add(receivedMs: number, exchangeTimesMs: readonly number[]): void {
    if (this.firstReceivedMs !== undefined && !isBelievable(receivedMs, this.lastReceivedMs)) return;
    this.firstReceivedMs ??= receivedMs;
    this.lastReceivedMs = Math.max(this.lastReceivedMs, receivedMs);
    for (const timeMs of exchangeTimesMs) {
      if (timeMs < receivedMs - BACKLOG_MS) continue;
      this.firstExchangeMs ??= timeMs;
      this.lastExchangeMs = Math.max(this.lastExchangeMs, timeMs);
    }
  }

  span(name: string): RecordingSpan {
    const { firstReceivedMs, lastReceivedMs, firstExchangeMs, lastExchangeMs } = this;
    if (firstReceivedMs === undefined || firstExchangeMs === undefined) throw new RecordingError(`recording has no message of ${name}`);
    return { firstReceivedMs, lastReceivedMs, firstExchangeMs, lastExchangeMs };
  }
}

async function spanOfMessages<Message>(
  batches: AsyncIterable<Batch<Message>>,
  name: string,
  exchangeTimesOf: (message: Message) => readonly number[],
): Promise<RecordingSpan> {
  const span = new SpanOfMessages();
  for await (const batch of batches) {
    for (const received of batch) if (received !== undefined) span.add(received.receivedMs, exchangeTimesOf(received.message));
  }
  return span.span(name);
}

/**
 * The symbol of the requested market, or the only one.
 * @throws UnknownSymbolError listing the available symbols; SeveralSymbolsError if none was requested and there are
 * several
 */
export function chooseSymbol(symbols: readonly string[], requested: string | undefined, advice?: string): string {
  const named = requested === undefined ? undefined : readMarket(requested).symbol;
  if (named !== undefined && symbols.includes(named)) return named;
  const [only] = symbols;
  if (requested === undefined && symbols.length > 1) throw new SeveralSymbolsError(symbols);
  if (requested === undefined && only !== undefined) return only;
  const there = symbols.length === 0 ? `no known symbol${advice === undefined ? '' : `: ${advice}`}` : symbols.join(', ');
  throw new UnknownSymbolError(
    requested === undefined
      ? `the recording contains ${there}`
      : `unknown symbol ${JSON.stringify(requested.slice(0, 40))}; the recording contains ${there}`,
  );
}

export function openMessages<Message>(
  symbols: readonly string[],
  instrument: PlayedInstrument,
  batches: AsyncIterable<Batch<Message>>,
  kind: MessageKind<Message>,
  notes: RecordingNotes,
): OpenedRecording {
  const { symbol, venueInstrument } = instrument;
  return {
    symbol,
    symbols,
    instrument,
    ...playMessages(batches, instrument, kind, notes),
    span: () => spanOfMessages(batches, venueInstrument, (message) => kind.exchangeTimesOf(message)),
    pass: (place) => playPass(batches, { ...place, instrument }, kind.normalizerOf),
  };
}

/** The channels are the recording's own. */
export function tableFacts(facts: PlayedInstrument, rows: readonly InstrumentRow[]): PlayedInstrument {
  const { symbol, venue, venueInstrument } = facts;
  const row = rows.find(
    (each) => each.feed === 'recording' && each.symbol === symbol && each.venue === venue && each.venueInstrument === venueInstrument,
  );
  return row === undefined ? facts : { ...row, channels: facts.channels };
}
