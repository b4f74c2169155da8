import { type InstrumentRow, type PlayedInstrument, UnknownSymbolError } from '../played-instrument';
import type { OpenedRecording } from './format';
import { type Batch, type MessageKind, playMessages, isBelievable, playPass } from './play-messages';
import type { RecordingNotes } from './recording-notes';
import { SeveralSymbolsError, RecordingError } from './recording-errors';
import type { RecordingSpan } from '../pass-shift';

/** A file of messages that were received one after the other. */
export interface MessageFile<Message> {
  readonly name: string;
  /** Receive time of its first line, milliseconds; undefined where that has none. */
  readonly firstReceivedMs: number | undefined;
  messages(): AsyncIterable<Batch<Message>>;
}

/**
 * The messages of files that follow each other in the order given.
 * @throws RecordingError when a file begins before the first line, or the last, of the file before it was received
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
  throw new RecordingError(`${name} begins before ${before.name} ends: give the files in the order of their times`);
}

/** An exchange time further behind the receive time is of a backlog, and not of the time that was recorded. */
const BACKLOG_MS = 10_000;

/** Finds out the span of a recording, message by message. */
export class SpanOfMessages {
  private firstReceivedMs: number | undefined;
  private lastReceivedMs = 0;
  private firstExchangeMs: number | undefined;
  private lastExchangeMs = 0;

  /** @param exchangeTimesMs of what the message brings into the log */
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

  /** @throws RecordingError when nothing would enter the log */
  span(name: string): RecordingSpan {
    const { firstReceivedMs, lastReceivedMs, firstExchangeMs, lastExchangeMs } = this;
    if (firstReceivedMs === undefined || firstExchangeMs === undefined) throw new RecordingError(`no message of ${name} in the recording`);
    return { firstReceivedMs, lastReceivedMs, firstExchangeMs, lastExchangeMs };
  }
}

/** The span of the messages of an instrument. @throws RecordingError when none would enter the log */
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
 * The symbol to play: the one asked for, or the only one there is.
 * @throws UnknownSymbolError naming those that are there; SeveralSymbolsError when none was asked for and there are several
 */
export function chooseSymbol(symbols: readonly string[], asked: string | undefined, advice?: string): string {
  if (asked !== undefined && symbols.includes(asked)) return asked;
  const [only] = symbols;
  if (asked === undefined && symbols.length > 1) throw new SeveralSymbolsError(symbols);
  if (asked === undefined && only !== undefined) return only;
  const there = symbols.length === 0 ? `no symbol that is known${advice === undefined ? '' : `: ${advice}`}` : symbols.join(', ');
  throw new UnknownSymbolError(
    asked === undefined
      ? `the recording holds ${there}`
      : `unknown symbol ${JSON.stringify(asked.slice(0, 40))}; the recording holds ${there}`,
  );
}

/** A recording of messages, ready to be read once. */
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

/** The facts of the table's row for recordings of this instrument, where there is one; its channels are those of the recording. */
export function tableFacts(facts: PlayedInstrument, rows: readonly InstrumentRow[]): PlayedInstrument {
  const { symbol, venue, venueInstrument } = facts;
  const row = rows.find(
    (each) => each.feed === 'recording' && each.symbol === symbol && each.venue === venue && each.venueInstrument === venueInstrument,
  );
  return row === undefined ? facts : { ...row, channels: facts.channels };
}
