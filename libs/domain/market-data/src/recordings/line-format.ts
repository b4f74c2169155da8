import type { InstrumentRow, PlayedInstrument } from '../played-instrument';
import { chooseSymbol } from './choose-symbol';
import { filesInOrder, type MessageFile } from './files-in-order';
import type { FormatReader, OpenedRecording } from './format';
import { openMessages, tableFacts } from './open-messages';
import type { PeekedFile } from './peeked-file';
import type { NormalizerOf, Received } from './play-messages';

/** A format in which every line is one message of one connection. */
export interface LineFormat<Message> extends Pick<FormatReader, 'id' | 'title' | 'example' | 'matches'> {
  /** The venue's names of the instruments that a line speaks of. */
  instrumentsOf(line: string): readonly string[];
  /** The symbols that an instrument can be played as; none for one that is not a perpetual contract that can be played. */
  symbolsOf(venueInstrument: string, rows: readonly InstrumentRow[]): readonly string[];
  /** The instrument's facts, where the table does not have them. `head`: the first lines of the files, which show the channels. */
  factsOf(symbol: string, venueInstrument: string, head: readonly string[], rows: readonly InstrumentRow[]): PlayedInstrument;
  /** Makes what reads an instrument's lines, in order; it gives undefined for a line without a receive time. */
  readerOf(venueInstrument: string): LineReader<Message>;
  /** Exchange times of what a message brings into the log. */
  exchangeTimesOf(message: Message): readonly number[];
  readonly normalizerOf: NormalizerOf<Message>;
}

export type LineReader<Message> = (line: string) => Received<Message> | undefined;

/** The symbols of an instrument that is played as one symbol, or not at all. */
export function oneOrNone(symbol: string | undefined): readonly string[] {
  return symbol === undefined ? [] : [symbol];
}

/** The reader of such a format: the files that hold the symbol's instrument, one after the other, are one pass. */
export function lineReader<Message>(format: LineFormat<Message>): FormatReader {
  const { id, title, example, matches } = format;
  return { id, title, example, matches, open: (files, asked, rows) => openLines(format, files, asked, rows) };
}

async function openLines<Message>(
  format: LineFormat<Message>,
  files: readonly PeekedFile[],
  asked: string | undefined,
  rows: readonly InstrumentRow[],
): Promise<OpenedRecording> {
  const filesOf = instrumentsIn(format, files);
  const instrumentOf = new Map(
    [...filesOf.keys()].flatMap((name) => format.symbolsOf(name, rows).map((symbol) => [symbol, name] as const)),
  );
  const symbols = [...instrumentOf.keys()];
  const symbol = chooseSymbol(symbols, asked);
  const venueInstrument = instrumentOf.get(symbol) ?? '';
  const played = filesOf.get(venueInstrument) ?? [];
  for (const file of files) if (!played.includes(file)) await file.close();
  const facts = format.factsOf(
    symbol,
    venueInstrument,
    played.flatMap(({ head }) => head),
    rows,
  );
  return openMessages(symbols, tableFacts(facts, rows), filesInOrder(messageFiles(format, venueInstrument, played)), format);
}

function instrumentsIn<Message>(format: LineFormat<Message>, files: readonly PeekedFile[]): Map<string, PeekedFile[]> {
  const filesOf = new Map<string, PeekedFile[]>();
  for (const file of files) {
    for (const name of new Set(file.head.flatMap((line) => format.instrumentsOf(line)))) {
      filesOf.set(name, [...(filesOf.get(name) ?? []), file]);
    }
  }
  return filesOf;
}

/** One reader reads all files; what a file begins with is looked at by another, which remembers nothing. */
function messageFiles<Message>(
  format: LineFormat<Message>,
  venueInstrument: string,
  files: readonly PeekedFile[],
): readonly MessageFile<Message>[] {
  const read = format.readerOf(venueInstrument);
  return files.map((file) => ({
    name: file.name,
    first: format.readerOf(venueInstrument)(file.head[0] ?? ''),
    messages: () => readFile(file, read),
  }));
}

async function* readFile<Message>(file: PeekedFile, read: LineReader<Message>): AsyncGenerator<readonly (Received<Message> | undefined)[]> {
  for await (const lines of file.batches()) {
    const messages: (Received<Message> | undefined)[] = [];
    for (const line of lines) if (line !== '') messages.push(read(line));
    yield messages;
  }
}
