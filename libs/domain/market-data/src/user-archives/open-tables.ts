import { CHANNELS } from '../event';
import type { DescribedInstrument, InstrumentRow, PlayedInstrument } from '../played-instrument';
import type { OpenedRecording } from '../recordings/format';
import type { LineFormat } from '../recordings/line-format';
import { chooseSymbol, filesInOrder, type MessageFile, openMessages, tableFacts } from '../recordings/open-messages';
import type { PeekedFile } from '../recordings/peeked-file';
import type { Batch, MessageKind, Received } from '../recordings/play-messages';
import { mergeByReceiveTime } from '../recordings/receive-times';
import { RecordingError, RecordingNotes } from '../recordings/recording-notes';
import type { RejectionReason } from '../rejections';
import { RowError } from './row-values';
import { adviceOnNames, symbolOfName } from '../venue-name';
import { type BrokenRow, tableTimesOf, type TableMessage, TableNormalizer } from './table-normalizer';

/** Reads lines in order, without the header. */
export interface RowReader<Message> {
  /** Undefined: the row belongs to another instrument, or to a message of several rows. @throws RowError */
  read(line: string): Received<Message> | undefined;
  /** Message that ends with the rows so far. */
  end?(): Received<Message> | undefined;
}

/** One kind of file. Files of a kind follow each other; kinds are merged by receive time. */
export interface FileKind<Message> {
  readonly name: string;
  /** Channel that loses what an unreadable row contained; undefined: a file whose rows enter no channel. */
  readonly channel: BrokenRow['channel'] | undefined;
  /** Few rows, in any order and perhaps of a longer time than the others: only those of their time are used. */
  readonly isSparse?: true;
  readerOf(instrument: PlayedInstrument, file: PeekedFile): RowReader<Message>;
}

export interface ArchiveFile<Message> {
  readonly file: PeekedFile;
  readonly kind: FileKind<Message>;
  readonly header?: string;
  readonly instruments: readonly string[];
}

interface Archive<Message> {
  readonly files: readonly ArchiveFile<Message>[];
  /** Facts of the venue's instruments; undefined: the instrument must be described. */
  readonly venue: LineFormat<never> | undefined;
  readonly venueName: string;
  readonly messages: MessageKind<Message>;
  broken(channel: BrokenRow['channel'], reason: RejectionReason): Message;
  readonly remarks: readonly string[];
}

export const archiveTables: Pick<Archive<TableMessage>, 'messages' | 'broken'> = {
  messages: { normalizerOf: (place, log) => new TableNormalizer(place, log, true), exchangeTimesOf: tableTimesOf },
  broken: (channel, reason) => ({ type: 'broken', channel, reason }),
};

export async function openArchive<Message>(
  archive: Archive<Message>,
  requested: string | undefined,
  rows: readonly InstrumentRow[],
  described: DescribedInstrument | undefined,
): Promise<OpenedRecording> {
  const names = [...new Set(archive.files.flatMap(({ instruments }) => instruments))];
  const nameOf = instrumentNames(archive, names, rows, described);
  const symbols = [...nameOf.keys()];
  const symbol = chooseSymbol(symbols, requested, adviceOf(archive, names));
  const name = nameOf.get(symbol) ?? '';
  const played = archive.files.filter(({ instruments }) => instruments.includes(name));
  for (const each of archive.files) if (!played.includes(each)) await each.file.unread.close();
  const channels = CHANNELS.filter((channel) => played.some(({ kind }) => kind.channel === channel));
  const facts = described === undefined ? archive.venue?.factsOf(symbol, name, [], rows) : { ...described, venueInstrument: name };
  if (facts === undefined) throw new RecordingError(describe(archive, name));
  const instrument = described === undefined ? tableFacts({ ...facts, channels }, rows) : { ...facts, channels };
  const notes = new RecordingNotes();
  for (const remark of archive.remarks) notes.add(remark, '', () => remark);
  const filesOf = (kind: FileKind<Message>) =>
    played.filter((each) => each.kind === kind).map((each) => messageFile(archive, each, instrument, notes));
  const kinds = [...new Set(played.map(({ kind }) => kind))];
  const dense = kinds.filter(({ isSparse }) => isSparse !== true);
  const sparse = kinds.filter((kind) => !dense.includes(kind)).map((kind) => ({ name: kind.name, files: filesOf(kind) }));
  const messages = withSparse(mergeByReceiveTime(dense.map((kind) => filesInOrder(filesOf(kind)))), sparse, notes);
  return openMessages(symbols, instrument, messages, archive.messages, notes);
}

function instrumentNames<Message>(
  { venue }: Archive<Message>,
  names: readonly string[],
  rows: readonly InstrumentRow[],
  described: DescribedInstrument | undefined,
): ReadonlyMap<string, string> {
  if (described !== undefined) {
    const name = names.length === 1 ? names[0] : names.find((each) => each === described.venueInstrument);
    return new Map(name === undefined ? [] : [[described.symbol, name]]);
  }
  if (venue === undefined) return new Map();
  const symbolsOf = (name: string): readonly string[] => venue.symbolsOf?.(name, rows) ?? symbolOfName(venue.parseName(name));
  return new Map(names.flatMap((name) => symbolsOf(name).map((symbol) => [symbol, name] as const)));
}

function adviceOf<Message>(archive: Archive<Message>, names: readonly string[]): string | undefined {
  const { venue } = archive;
  if (venue === undefined) return names[0] && describe(archive, names[0]);
  return venue.unplayable?.(names) ?? adviceOnNames(names, venue.venue, venue.parseName);
}

function describe<Message>({ venueName }: Archive<Message>, name: string): string {
  return (
    `${name} of ${venueName} is not in the instrument table; describe it, as in ` +
    `--instrument symbol=BTCUSD-PERP,venue=${venueName},venue_instrument=${name}`
  );
}

function messageFile<Message>(
  archive: Archive<Message>,
  { file, kind, header }: ArchiveFile<Message>,
  instrument: PlayedInstrument,
  notes: RecordingNotes,
): MessageFile<Message> {
  const { name, head, unread } = file;
  const reader = kind.readerOf(instrument, file);

  async function* messages(): AsyncGenerator<Batch<Message>> {
    let lineNumber = 0;
    let receivedMs: number | undefined;
    for await (const lines of unread.batches()) {
      const batch: (Received<Message> | undefined)[] = [];
      const add = (received: Received<Message> | undefined): void => {
        if (received === undefined) return;
        receivedMs = received.receivedMs;
        batch.push(received);
      };
      for (const line of lines) {
        lineNumber++;
        if (line === '' || line === header) continue;
        try {
          add(reader.read(line));
        } catch (error) {
          if (!(error instanceof RowError)) throw error;
          add(reader.end?.());
          noteRow(notes, `${name}:${lineNumber}`, error.message);
          if (kind.channel !== undefined)
            batch.push(receivedMs === undefined ? undefined : { receivedMs, message: archive.broken(kind.channel, error.reason) });
        }
      }
      yield batch;
    }
    const ended = reader.end?.();
    if (ended !== undefined) yield [ended];
  }

  return { name, firstReceivedMs: firstReceivedMs(head, header, kind.readerOf(instrument, file)), messages };
}

function firstReceivedMs<Message>(head: readonly string[], header: string | undefined, reader: RowReader<Message>): number | undefined {
  for (const line of head) {
    if (line === header) continue;
    try {
      const received = reader.read(line);
      if (received !== undefined) return received.receivedMs;
    } catch (error) {
      if (!(error instanceof RowError)) throw error;
    }
  }
  return reader.end?.()?.receivedMs;
}

const NAMED_MAX = 20;

/** The first twenty unreadable rows by file and line, then their number. */
function noteRow(notes: RecordingNotes, place: string, sentence: string): void {
  notes.addNamed('unreadable rows', NAMED_MAX, `${place}: ${sentence}`, (total) => `${total} more rows could not be read`);
}

interface SparseKind<Message> {
  readonly name: string;
  readonly files: readonly MessageFile<Message>[];
}

/**
 * Inserts rows of sparse kinds, such as a month of funding rates, by receive time. The newest row before the first of
 * the others is known at the start; older ones and those after the last are noted and left out. Without others, all are
 * used.
 */
async function* withSparse<Message>(
  dense: AsyncIterable<Batch<Message>>,
  kinds: readonly SparseKind<Message>[],
  notes: RecordingNotes,
): AsyncGenerator<Batch<Message>> {
  const rows: Row<Message>[] = [];
  for (const kind of kinds) rows.push(...(await rowsOf(kind)));
  rows.sort((a, b) => a.received.receivedMs - b.received.receivedMs);
  let next: number | undefined;
  for await (const batch of dense) {
    const merged: (Received<Message> | undefined)[] = [];
    for (const received of batch) {
      if (received !== undefined) {
        if (next === undefined) {
          next = rows.findIndex((row) => row.received.receivedMs > received.receivedMs);
          if (next < 0) next = rows.length;
          merged.push(...knownAt(received.receivedMs, rows.slice(0, next), notes));
        }
        for (let row = rows[next]; row !== undefined && row.received.receivedMs <= received.receivedMs; row = rows[++next])
          merged.push(row.received);
      }
      merged.push(received);
    }
    yield merged;
  }
  if (next === undefined) yield rows.map(({ received }) => received);
  else for (const { kind } of rows.slice(next)) noteOutside(notes, kind);
}

interface Row<Message> {
  readonly kind: string;
  readonly received: Received<Message>;
}

async function rowsOf<Message>({ name, files }: SparseKind<Message>): Promise<Row<Message>[]> {
  const rows: Row<Message>[] = [];
  for (const file of files) {
    for await (const batch of file.messages())
      for (const received of batch) if (received !== undefined) rows.push({ kind: name, received });
  }
  return rows;
}

function knownAt<Message>(startMs: number, before: readonly Row<Message>[], notes: RecordingNotes): Received<Message>[] {
  const newest = new Map(before.map((row) => [row.kind, row]));
  for (const row of before) if (newest.get(row.kind) !== row) noteOutside(notes, row.kind);
  return [...newest.values()].map(({ received }) => ({ ...received, receivedMs: startMs }));
}

function noteOutside(notes: RecordingNotes, kind: string): void {
  notes.add(
    `outside ${kind}`,
    '',
    (total) => `${kind}: ${total} ${total === 1 ? 'row lies' : 'rows lie'} outside the time of the other files, not used`,
  );
}
