import type { DescribedInstrument, InstrumentRow, PlayedInstrument } from '../played-instrument';
import { adviceOnNames, symbolOfName, type VenueNameParser } from '../venue-name';
import { chooseSymbol, openMessages, tableFacts, filesInOrder, type MessageFile } from './open-messages';
import type { FormatReader, OpenedRecording } from './format';
import type { PeekedFile, UnreadFile } from './peeked-file';
import type { NormalizerOf, Received } from './play-messages';
import { RecordingNotes } from './recording-notes';

/** A format in which every line is one message of one connection. */
export interface LineFormat<Message> extends Pick<FormatReader, 'id' | 'title' | 'example' | 'matches'> {
  /** The venue's names of the instruments that a line speaks of. */
  instrumentsOf(line: string): readonly string[];
  /** The same of a file's first lines, where one line alone does not tell; without it, those of each. */
  instrumentsIn?(head: readonly string[]): readonly string[];
  /** @throws RecordingError naming file and line where the files are of a market that can't be played, or do not say which */
  check?(files: readonly PeekedFile[]): void;
  readonly venue: string;
  readonly parseName: VenueNameParser;
  /** The symbols that an instrument can be played as, where the instrument table decides it; without it, its name does. */
  symbolsOf?(venueInstrument: string, rows: readonly InstrumentRow[]): readonly string[];
  /** What is to be done about a recording of which no instrument can be played. */
  unplayable?(venueInstruments: readonly string[]): string | undefined;
  /** The instrument's facts, where the table does not have them. `head`: the first lines of the files, which show the channels. */
  factsOf(symbol: string, venueInstrument: string, head: readonly string[], rows: readonly InstrumentRow[]): PlayedInstrument;
  /** Makes what reads an instrument's lines, in order. `head`: the first lines of a recording; none of a live connection. */
  readerOf(venueInstrument: string, head?: readonly string[]): LineReader<Message>;
  /** What a user must be told of the way in which an instrument's lines are read. */
  remarksOn?(head: readonly string[], venueInstrument: string): readonly string[];
  /** Exchange times of what a message brings into the log. */
  exchangeTimesOf(message: Message): readonly number[];
  readonly normalizerOf: NormalizerOf<Message>;
  /** The lines of a file that speak of an instrument or of none, where a line alone does not tell; without it, all lines. */
  linesOf?(file: UnreadFile, wanted: WantedLines): AsyncIterable<readonly string[]>;
}

/** What is read of a file, and where to tell of what was left out. */
export interface WantedLines {
  readonly venueInstrument: string;
  /** Every instrument that the first lines of the recording name. */
  readonly instruments: readonly string[];
  readonly notes: RecordingNotes;
}

/** A line that is about the recording, and no message: it is not counted. */
export const PASSED_OVER = 'passed_over';

/** Undefined: the line has no receive time. */
export type LineReader<Message> = (line: string) => Received<Message> | typeof PASSED_OVER | undefined;

/** The reader of such a format: the files that hold the symbol's instrument, one after the other, are one pass. */
export function lineReader<Message>(format: LineFormat<Message>): FormatReader {
  const { id, title, example, matches } = format;
  return { id, title, example, matches, open: (files, ...chosen) => openLines(format, files, ...chosen) };
}

async function openLines<Message>(
  format: LineFormat<Message>,
  files: readonly PeekedFile[],
  asked: string | undefined,
  rows: readonly InstrumentRow[],
  described?: DescribedInstrument,
): Promise<OpenedRecording> {
  format.check?.(files);
  const filesOf = instrumentsIn(format, files);
  const symbolsOf = (name: string): readonly string[] =>
    name === described?.venueInstrument ? [described.symbol] : (format.symbolsOf?.(name, rows) ?? symbolOfName(format.parseName(name)));
  const names = [...filesOf.keys()];
  const instrumentOf = new Map(names.flatMap((name) => symbolsOf(name).map((symbol) => [symbol, name] as const)));
  const symbols = [...instrumentOf.keys()];
  const symbol = chooseSymbol(symbols, asked, format.unplayable?.(names) ?? adviceOnNames(names, format.venue, format.parseName));
  const venueInstrument = instrumentOf.get(symbol) ?? '';
  const played = filesOf.get(venueInstrument) ?? [];
  for (const file of files) if (!played.includes(file)) await file.unread.close();
  const head = played.flatMap((file) => file.head);
  const facts = format.factsOf(symbol, venueInstrument, head, rows);
  const notes = new RecordingNotes();
  for (const remark of format.remarksOn?.(head, venueInstrument) ?? []) notes.add(remark, '', () => remark);
  const messages = filesInOrder(messageFiles(format, { venueInstrument, instruments: names, notes }, played, head));
  return openMessages(symbols, tableFacts(facts, rows), messages, format, notes);
}

function instrumentsIn<Message>(format: LineFormat<Message>, files: readonly PeekedFile[]): Map<string, PeekedFile[]> {
  const filesOf = new Map<string, PeekedFile[]>();
  for (const file of files) {
    const names = format.instrumentsIn?.(file.head) ?? file.head.flatMap((line) => format.instrumentsOf(line));
    for (const name of new Set(names)) {
      filesOf.set(name, [...(filesOf.get(name) ?? []), file]);
    }
  }
  return filesOf;
}

/**
 * One reader reads all files; what a file begins with is looked at by another, which remembers nothing.
 * @param head the first lines of all files. No function that outlives this one may name it: it would keep them.
 */
function messageFiles<Message>(
  format: LineFormat<Message>,
  wanted: WantedLines,
  files: readonly PeekedFile[],
  head: readonly string[],
): readonly MessageFile<Message>[] {
  const { venueInstrument } = wanted;
  const read = format.readerOf(venueInstrument, head);
  const messageFiles: MessageFile<Message>[] = [];
  for (const { name, head: ownHead, unread } of files) {
    messageFiles.push({
      name,
      firstReceivedMs: firstReceivedMs(ownHead, format.readerOf(venueInstrument, head)),
      messages: () => readLines(format.linesOf?.(unread, wanted) ?? unread.batches(), read),
    });
  }
  return messageFiles;
}

/** When the first line that is a message was received. */
function firstReceivedMs<Message>(head: readonly string[], read: LineReader<Message>): number | undefined {
  for (const line of head) {
    const received = read(line);
    if (received !== PASSED_OVER) return received?.receivedMs;
  }
  return undefined;
}

async function* readLines<Message>(
  batches: AsyncIterable<readonly string[]>,
  read: LineReader<Message>,
): AsyncGenerator<readonly (Received<Message> | undefined)[]> {
  for await (const lines of batches) {
    const messages: (Received<Message> | undefined)[] = [];
    for (const line of lines) {
      if (line === '') continue;
      const received = read(line);
      if (received !== PASSED_OVER) messages.push(received);
    }
    yield messages;
  }
}
