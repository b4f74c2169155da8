import type { DescribedInstrument, InstrumentRow, PlayedInstrument } from '../played-instrument';
import { adviceOnNames, symbolOfName, type VenueNameParser } from '../venue-name';
import { chooseSymbol, openMessages, tableFacts, filesInOrder, type MessageFile } from './open-messages';
import type { FormatReader, OpenedRecording } from './format';
import type { PeekedFile, UnreadFile } from './peeked-file';
import type { NormalizerOf, Received } from './play-messages';
import { RecordingNotes } from './recording-notes';

export interface LineFormat<Message> extends Pick<FormatReader, 'id' | 'title' | 'example' | 'matches'> {
  instrumentsOf(line: string): readonly string[];
  /** Default: the union over lines. */
  instrumentsIn?(head: readonly string[]): readonly string[];
  check?(files: readonly PeekedFile[]): void;
  readonly venue: string;
  readonly parseName: VenueNameParser;
  /** Default: from its name. */
  symbolsOf?(venueInstrument: string, rows: readonly InstrumentRow[]): readonly string[];
  unplayable?(venueInstruments: readonly string[]): string | undefined;
  /** `head`: first lines, which reveal the channels. */
  factsOf(symbol: string, venueInstrument: string, head: readonly string[], rows: readonly InstrumentRow[]): PlayedInstrument;
  /** Stateful. `head` is empty for a live connection. */
  readerOf(venueInstrument: string, head?: readonly string[]): LineReader<Message>;
  remarksOn?(head: readonly string[], venueInstrument: string): readonly string[];
  exchangeTimesOf(message: Message): readonly number[];
  readonly normalizerOf: NormalizerOf<Message>;
  /** Default: all lines. */
  linesOf?(file: UnreadFile, wanted: WantedLines): AsyncIterable<readonly string[]>;
}

export interface WantedLines {
  readonly venueInstrument: string;
  readonly instruments: readonly string[];
  readonly notes: RecordingNotes;
}

export const PASSED_OVER = 'passed_over';

export type LineReader<Message> = (line: string) => Received<Message> | typeof PASSED_OVER | undefined;

export function lineReader<Message>(format: LineFormat<Message>): FormatReader {
  const { id, title, example, matches } = format;
  return { id, title, example, matches, open: (files, ...chosen) => openLines(format, files, ...chosen) };
}

async function openLines<Message>(
  format: LineFormat<Message>,
  files: readonly PeekedFile[],
  requested: string | undefined,
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
  const symbol = chooseSymbol(symbols, requested, format.unplayable?.(names) ?? adviceOnNames(names, format.venue, format.parseName));
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
 * One stateful reader reads all files; a separate one peeks at file heads.
 * @param head first lines of all files; closures that outlive this call must not reference it
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
