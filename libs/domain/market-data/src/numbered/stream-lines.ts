import { CHANNELS, type Channel } from '../event';
import type { Json } from '../json';
import { type InstrumentRow, type PlayedInstrument, UnknownSymbolError } from '../played-instrument';
import type { LineFormat } from '../recordings/line-format';
import { checkNanoseconds } from '../recordings/receive-times';
import { readRecordingLine, recordedObject } from '../recording-line';
import { symbolOfName, type VenueNameParser } from '../venue-name';
import { exchangeTimesOf, type NumberedMessage } from './message';
import { NumberedNormalizer } from './normalizer';

export interface StreamFormat extends Pick<LineFormat<NumberedMessage>, 'id' | 'title' | 'example' | 'venue'> {
  readonly parseName: VenueNameParser;
  /** Instrument by the usual field order, which also reads truncated lines; undefined: the frame is parsed. */
  namedAtHead(line: string): string | undefined;
  /** Instruments that a frame names; undefined if it is none of the venue's. */
  namesOf(frame: Json): readonly string[] | undefined;
  channelOf(frame: Json): Channel | undefined;
  parse(text: string, venueInstrument: string): NumberedMessage;
  /** Facts by name alone; undefined if they must be in a table. */
  factsOf(symbol: string, venueInstrument: string, channels: readonly Channel[]): PlayedInstrument | undefined;
}

/** Recordings of a venue's stream as `record` writes them: receive time in nanoseconds, then the frame. */
export function streamLines(format: StreamFormat): LineFormat<NumberedMessage> {
  const { id, title, example, venue, parseName, namedAtHead, namesOf, channelOf, parse, factsOf } = format;
  const frameNames = (line: string): readonly string[] | undefined => {
    const named = namedAtHead(line);
    const frame = named === undefined ? recordedObject(line) : undefined;
    return named === undefined ? frame && namesOf(frame) : [named];
  };

  function channelsOf(head: readonly string[], name: string): readonly Channel[] {
    const found = new Set<Channel | undefined>(['book', 'trade']);
    for (const line of head) {
      const frame = recordedObject(line);
      if (frame !== undefined && namesOf(frame)?.includes(name) === true) found.add(channelOf(frame));
    }
    return CHANNELS.filter((channel) => found.has(channel));
  }

  function rowsOf(name: string, rows: readonly InstrumentRow[]): readonly InstrumentRow[] {
    return rows.filter((row) => row.venue === venue && row.venueInstrument === name);
  }

  return {
    id,
    title,
    example,
    venue,
    parseName,
    matches: (line) => frameNames(line) !== undefined,
    instrumentsOf: (line) => frameNames(line) ?? [],
    symbolsOf(name, rows) {
      const listed = [...new Set(rowsOf(name, rows).map(({ symbol }) => symbol))];
      return listed.length > 0 ? listed : symbolOfName(parseName(name));
    },
    factsOf(symbol, name, head, rows) {
      const channels = channelsOf(head, name);
      const row = rowsOf(name, rows).find((each) => each.symbol === symbol);
      const facts = row === undefined ? factsOf(symbol, name, channels) : { ...row, channels };
      if (facts === undefined) throw new UnknownSymbolError(`the instrument table has no contract size for ${symbol} of ${venue}`);
      return facts;
    },
    readerOf: (name) => (line) => {
      const read = readRecordingLine(line);
      return read && { receivedMs: read.receivedMs, message: parse(line.slice(read.messageStart), name) };
    },
    check: checkNanoseconds,
    exchangeTimesOf,
    normalizerOf: (place, log) => new NumberedNormalizer(place, log),
  };
}
