import { ClockOffsets } from '../clock-offsets';
import { type MarketEvent, channelOf, CHANNELS, type FeedStatus } from '../event';
import { type Market, readMarket, SYMBOL_FORM } from '../market';
import { type InstrumentRow, UnknownSymbolError, type PlayedInstrument } from '../played-instrument';
import { isObject, parseObject } from '../json';
import { noRejections, type RejectionCounts } from '../rejections';
import { EVENT_ROW_SCHEMA } from '../row/event-row';
import { eventOfRow, EventRowError } from '../row/event-of-row';
import type { FormatReader, OpenedRecording } from './format';
import { RecordingNotes, type RecordingTally, RecordingError, SeveralSymbolsError } from './recording-notes';
import type { PeekedFile, UnreadFile } from './peeked-file';
import { writeConnected, TICK_MS } from '../normalizer';
import { gapIdOf } from '../gap-id';
import { LogWriter, type PlacedEvent } from '../log-writer';
import { type PassPosition, writeSeam, SHIFT_STEP_MS, type RecordingSpan } from '../pass-player';
import type { PlayedPass } from './play-messages';
import { OpenGaps } from '../live/log-tail';
import { SpanOfMessages } from './open-messages';

/**
 * Plays rows as one pass with shifted times. A live source becomes a recorded one; gaps get ids of this pass and end
 * with it.
 * @throws RangeError unless the shift is a multiple of 10 s
 */
function playRows(batches: AsyncIterable<readonly MarketEvent[]>, place: PassPosition, rejections: Readonly<RejectionCounts>): PlayedPass {
  if (place.shiftMs % SHIFT_STEP_MS !== 0) throw new RangeError(`shift is not a multiple of ${SHIFT_STEP_MS} ms: ${place.shiftMs}`);
  return { events: play(batches, place), rejections: () => rejections };
}

async function* play(batches: AsyncIterable<readonly MarketEvent[]>, place: PassPosition): AsyncGenerator<readonly PlacedEvent[]> {
  const log = new LogWriter(place, true, place.shiftMs);
  log.clockMs = place.span.firstReceivedMs;
  writeSeam(place, log);
  const gaps = new OpenGaps();
  let lastExchangeMs = 0;
  let isFirst = true;
  let lastTickMs = Math.ceil(log.clockMs / TICK_MS) * TICK_MS - TICK_MS;
  for await (const batch of batches) {
    for (const event of batch) {
      if (isFirst && !(event.kind === 'feed_status' && event.status.type === 'connected')) writeConnected(place, log);
      isFirst = false;
      log.clockMs = Math.max(log.clockMs, event.receivedTsMs);
      if (event.kind === 'tick') lastTickMs = event.feedClockMs;
      if (event.kind !== 'feed_status') {
        if (event.kind !== 'tick' && !event.exchangeTsIsReceiveTime) lastExchangeMs = Math.max(lastExchangeMs, event.exchangeTsMs);
        log.copy(event);
        continue;
      }
      const status = statusOfPass(event.status, place);
      gaps.apply(status);
      log.copy({ ...event, status });
    }
    yield log.take();
  }
  const endMs = place.endFeedClockMs - place.shiftMs;
  for (let tickMs = lastTickMs + TICK_MS; tickMs < endMs; tickMs += TICK_MS) {
    log.clockMs = Math.max(log.clockMs, tickMs);
    log.tick();
  }
  for (const gap of gaps.list()) log.status({ ...gap, endMs: Math.max(gap.startMs, lastExchangeMs) });
  yield log.take();
}

/** The same gap in another pass is a different gap. */
function statusOfPass(status: FeedStatus, { instrument: { venue, symbol }, pass }: PassPosition): FeedStatus {
  switch (status.type) {
    case 'connected':
      return status.sourceKind === 'live' ? { ...status, sourceKind: 'recorded' } : status;
    case 'disconnected':
      return status;
    case 'gap':
    case 'resynced':
    case 'seam':
      return { ...status, gapId: gapIdOf({ venue, symbol, pass, reason: 'recording_seam', startMs: 0, lastVenueId: status.gapId }) };
  }
}

async function spanOfRows(batches: AsyncIterable<readonly MarketEvent[]>, symbol: string): Promise<RecordingSpan> {
  const span = new SpanOfMessages();
  for await (const batch of batches) {
    for (const event of batch) {
      const isOfMarket = event.kind !== 'tick' && event.kind !== 'feed_status' && !event.exchangeTsIsReceiveTime;
      span.add(event.receivedTsMs, isOfMarket ? [event.exchangeTsMs] : []);
    }
  }
  return span.span(symbol);
}

/** From the first `connected` row, otherwise from the table; if neither exists, the limits are placeholders. */
function rowFacts(
  first: readonly MarketEvent[],
  table: readonly InstrumentRow[],
): { readonly instrument: PlayedInstrument; readonly isKnown: boolean } {
  const [event] = first;
  const { venue = '', symbol = '' } = event ?? {};
  const row = table.find((each) => each.symbol === symbol && each.venue === venue);
  const named = {
    symbol,
    venue,
    venueInstrument: row?.venueInstrument ?? symbol,
    ...(row?.contractValue !== undefined && { contractValue: row.contractValue }),
  };
  for (const each of first) {
    if (each.kind !== 'feed_status' || each.status.type !== 'connected') continue;
    const { channels, bookStalenessMs, tradeStalenessMs, contextStalenessMs, closingLagMs } = each.status;
    return { instrument: { ...named, channels, bookStalenessMs, tradeStalenessMs, contextStalenessMs, closingLagMs }, isKnown: true };
  }
  if (row !== undefined) return { instrument: { ...row, ...named }, isKnown: true };
  const seen = new Set(first.map(channelOf));
  const channels = CHANNELS.filter((channel) => channel !== 'control' && seen.has(channel));
  return {
    instrument: { ...named, channels, bookStalenessMs: 1, tradeStalenessMs: 1, contextStalenessMs: 1, closingLagMs: 1 },
    isKnown: false,
  };
}

const ANY_SCHEMA = /"schema"\s*:\s*"market_state_(?:row|packet_row|checkpoint|signing_key)\.v1"/;
const ROW_SYMBOL = /"schema"\s*:\s*"market_state_row\.v1"[^[{]*"symbol"\s*:\s*"([A-Z0-9]{1,20}USD-PERP)"/;
const OTHER_SCHEMAS: readonly unknown[] = ['market_state_packet_row.v1', 'market_state_checkpoint.v1', 'market_state_signing_key.v1'];

/** Ordinals must be contiguous across files except at a new epoch. */
export const rowReader: FormatReader = {
  id: 'market-state-rows',
  title: 'market_state_row.v1: log entries, one JSON object per line; packets, checkpoints and keys in between are skipped',
  example: '{"schema":"market_state_row.v1","kind":"tick","venue":"binance-coinm","symbol":"BTCUSD-PERP",…}',
  matches: (line) => line.startsWith('{') && ANY_SCHEMA.test(line),
  open: openRows,
};

function symbolOfRow(line: string): string | readonly string[] {
  const found = ROW_SYMBOL.exec(line)?.[1];
  if (found !== undefined || !line.includes(`"${EVENT_ROW_SCHEMA}"`)) return found ?? [];
  const { schema, symbol } = parseObject(line) ?? {};
  return schema === EVENT_ROW_SCHEMA && typeof symbol === 'string' && SYMBOL_FORM.test(symbol) ? symbol : [];
}

async function openRows(
  files: readonly PeekedFile[],
  requested: string | undefined,
  table: readonly InstrumentRow[],
): Promise<OpenedRecording> {
  const found = new Set(files.flatMap(({ head }) => head.flatMap(symbolOfRow)));
  const symbols = [...found];
  if (requested === undefined && symbols.length > 1) throw new SeveralSymbolsError(symbols);
  const tally: RecordingTally = { lines: 0, rejections: noRejections(), notes: new RecordingNotes() };
  const unread = files.map((file) => file.unread);
  const rows = readRows(unread, requested, found, tally);
  const first = await firstEvents(rows);
  const [event] = first;
  if (event === undefined) throw noRow([...found], requested);

  async function* events(): AsyncGenerator<readonly MarketEvent[]> {
    yield first;
    yield* rows;
  }

  const { instrument, isKnown } = rowFacts(first, table);
  const played = events();
  return {
    symbol: event.symbol,
    symbols: symbols.length > 0 ? symbols : [event.symbol],
    instrument,
    events: played,
    tally,
    span: () => spanOfRows(played, event.symbol),
    pass(place) {
      if (!isKnown)
        throw new RecordingError(
          `the rows of ${event.symbol} start without a connected entry, and the instrument table has no row for ${event.venue}: the ` +
            `staleness limits of its channels are unknown`,
        );
      return playRows(played, { ...place, instrument }, tally.rejections);
    },
  };
}

function noRow(found: readonly string[], requested: string | undefined): UnknownSymbolError {
  const others = found.filter((symbol) => symbol !== requested);
  return new UnknownSymbolError(
    `no row${requested === undefined ? '' : ` of ${requested}`}; the files contain ${others.length === 0 ? 'no symbol' : others.join(', ')}`,
  );
}

async function firstEvents(rows: AsyncGenerator<readonly MarketEvent[]>): Promise<readonly MarketEvent[]> {
  for (;;) {
    const next = await rows.next();
    if (next.done === true) return [];
    if (next.value.length > 0) return next.value;
  }
}

async function* readRows(
  files: readonly UnreadFile[],
  requested: string | undefined,
  found: Set<string>,
  tally: RecordingTally,
): AsyncGenerator<readonly MarketEvent[]> {
  const market = requested === undefined ? undefined : readMarket(requested);
  let last: MarketEvent | undefined;
  const clocks = new ClockOffsets();
  for (const file of files) {
    let lineNumber = 0;
    for await (const lines of file.batches()) {
      const events: MarketEvent[] = [];
      for (const line of lines) {
        lineNumber++;
        if (line === '') continue;
        tally.lines++;
        const place = `${file.name}:${lineNumber}`;
        const event = readRow(line, market, found, place);
        if (event === undefined) continue;
        checkFollows(event, last, place);
        if ((event.kind === 'book' || event.kind === 'trade') && !event.exchangeTsIsReceiveTime)
          clocks.add(event.receivedTsMs, [event.exchangeTsMs]);
        events.push(event);
        last = event;
      }
      yield events;
    }
  }
  const offsets = clocks.sentence();
  if (offsets !== undefined) tally.notes.add('clocks', '', () => offsets);
}

function readRow(line: string, requested: Market | undefined, found: Set<string>, place: string): MarketEvent | undefined {
  const json = parseLine(line, place);
  if (!isObject(json)) throw new RecordingError(`${place}: the row must be an object`);
  const { schema, symbol, venue } = json;
  if (OTHER_SCHEMAS.includes(schema)) return undefined;
  if (schema === EVENT_ROW_SCHEMA && typeof symbol === 'string' && !found.has(symbol)) found.add(symbol);
  if (requested !== undefined && isOfOther(requested, symbol, venue)) return undefined;
  if (requested === undefined && found.size > 1) throw new SeveralSymbolsError([...found]);
  try {
    return withTimes(eventOfRow(json), place);
  } catch (error) {
    if (error instanceof EventRowError) throw new RecordingError(`${place}: ${error.message}`, { cause: error });
    throw error;
  }
}

function isOfOther({ symbol: ofSymbol, venue: ofVenue }: Market, symbol: unknown, venue: unknown): boolean {
  if (typeof symbol !== 'string') return false;
  return symbol !== ofSymbol || (ofVenue !== undefined && typeof venue === 'string' && venue !== ofVenue);
}

/** Year 5138: larger times have a finer unit. */
const TIME_MS_MAX = 1e14;

function withTimes(event: MarketEvent, place: string): MarketEvent {
  const { exchangeTsMs, receivedTsMs } = event;
  const timeMs = Math.max(exchangeTsMs, receivedTsMs);
  if (timeMs < TIME_MS_MAX) return event;
  const name = timeMs === exchangeTsMs ? 'exchange_ts_ms' : 'received_ts_ms';
  throw new RecordingError(`${place}: ${name} ${timeMs} is microseconds or finer; row times are milliseconds since 1970`);
}

function parseLine(line: string, place: string): unknown {
  try {
    return JSON.parse(line);
  } catch (error) {
    throw new RecordingError(`${place}: invalid JSON`, { cause: error });
  }
}

/** A new epoch starts past all ordinals of the old one. */
function checkFollows(event: MarketEvent, last: MarketEvent | undefined, place: string): void {
  if (last === undefined) return;
  if (event.venue !== last.venue)
    throw new RecordingError(
      `${place}: the files have ${event.symbol} of ${last.venue} and of ${event.venue}: name a secondary venue, as in ` +
        `--symbol ${event.symbol}@${event.venue}, or give a file of the primary one alone`,
    );
  if (event.epoch < last.epoch) throw new RecordingError(`${place}: epoch ${event.epoch} follows ${last.epoch}`);
  const follows = event.epoch === last.epoch ? event.ordinal === last.ordinal + 1 : event.ordinal > last.ordinal;
  if (!follows)
    throw new RecordingError(
      `${place}: ordinal ${event.ordinal} follows ${last.ordinal}, expected ${last.ordinal + 1}: a log contains every entry, unlike a window of ` +
        `some channels or of exchange time; \`market-state dump\` writes one`,
    );
}
