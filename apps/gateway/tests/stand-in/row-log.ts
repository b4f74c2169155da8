import { createHash } from 'node:crypto';
import type { marketData } from '@market-state/contracts';
import { marketData as proto } from '@market-state/contracts';
import { failedPrecondition, unavailable, unknownSymbol } from '@market-state/errors';
import type { CallContext } from '@market-state/grpc';

type LogEntry = ({ readonly row: marketData.DataRow } | { readonly gap: marketData.Gap }) & {
  /** Absent: in every symbol's log. */
  readonly symbol?: string;
};

/** Logs as the data plane streams them: rows and gaps in order, partly past retention. */
export interface RowLog {
  append(...entries: readonly LogEntry[]): void;
  /** Drops rows up to an ordinal. */
  forget(upToOrdinal: number): void;
  /** Ends every open stream with UNAVAILABLE. */
  breakStreams(): void;
  setDown(down: boolean): void;
  openTotal(): number;
  openedTotal(): number;
  /** Rows that readers consumed from replays. */
  replayedTotal(): number;
  streamRows(request: marketData.StreamRowsRequest, context: CallContext): AsyncGenerator<marketData.StreamRowsResponse>;
  streamReplay(request: marketData.StreamReplayRequest, context: CallContext): AsyncGenerator<marketData.StreamReplayResponse>;
}

const BATCH_SIZE = 40;

/** Default channels of a replay: this venue reports no liquidations. */
export const USUAL_CHANNELS = ['book', 'trades', 'context', 'control', 'packets'];

export function logRow(symbol: string, sequence: number, channel: string, sizeBytes = 0): marketData.DataRow {
  const exchangeTsMs = Date.parse('2026-01-01T00:00:00.000Z') + sequence * 10;
  const filling = sizeBytes === 0 ? '' : `,"filling":"${'x'.repeat(sizeBytes)}"`;
  const times = `"exchange_ts_ms":${exchangeTsMs},"exchange_ts_is_receive_time":false,"received_ts_ms":${exchangeTsMs + 4}`;
  const head = `"schema":"market_state_row.v1","venue":"simulated","symbol":"${symbol}","pass":0,"venue_id":"",${times}`;
  const line = Buffer.from(`{${head},"ordinal":${sequence},"epoch":1,${INSIDE[channel] ?? '"kind":"other"'}${filling}}`);
  return {
    channel,
    sequence,
    epoch: 1,
    exchangeTsMs,
    receivedTsMs: exchangeTsMs + 4,
    flags: sequence % 7 === 0 ? 18 : 0,
    line,
    packetDigest: '',
    packetWindowEndMs: 0,
  };
}

/** Channel-specific fields of rows. */
const INSIDE: Readonly<Record<string, string>> = {
  book: '"kind":"book","bids":[["99","1"]],"asks":[["101","1"]]',
  trades: '"kind":"trade","price":"100","size":"1","aggressor_side":"buy"',
  context: '"kind":"context","mark_price":"100"',
  liquidations: '"kind":"liquidation","position_side":"long","price":"100","size":"1","provenance":"venue_reported"',
  control: '"kind":"tick","feed_clock_ms":1767225600000',
};

/** `which` distinguishes several gaps after one row. */
export function logGap(symbol: string, ordinal: number, channel = '', which = 0): marketData.Gap {
  const gapId = `gap_${which}${String(ordinal).padStart(25, '0')}`;
  return {
    gapId,
    symbol,
    channel,
    startMs: 1_767_225_600_000 + ordinal * 10,
    endMs: 0,
    reason: 'sequence_gap',
    resolution: 'open',
    place: { epoch: 1, ordinal, packetWindowEndMs: 1 },
  };
}

function ordinalOf(entry: LogEntry): number {
  return 'row' in entry ? entry.row.sequence : (entry.gap.place?.ordinal ?? 0);
}

function isAfter(entry: LogEntry, after: marketData.LogPosition): boolean {
  const ordinal = ordinalOf(entry);
  const packetWindowEndMs = 'row' in entry ? entry.row.packetWindowEndMs : 0;
  if (packetWindowEndMs > 0 && after.packetWindowEndMs > 1) return packetWindowEndMs > after.packetWindowEndMs;
  if (ordinal !== after.ordinal) return ordinal > after.ordinal;
  return 'gap' in entry ? after.packetWindowEndMs !== 1 : packetWindowEndMs > 0;
}

export function createRowLog(symbols: readonly string[]): RowLog {
  const entries: LogEntry[] = [];
  let forgotten = 0;
  let down = false;
  let openTotal = 0;
  let openedTotal = 0;
  let replayedTotal = 0;
  let generation = new AbortController();
  let wake = (): void => undefined;
  let changed = new Promise<void>((resolve) => (wake = resolve));

  function report(): void {
    wake();
    changed = new Promise((resolve) => (wake = resolve));
  }

  function refuse(symbol: string, after: marketData.LogPosition | undefined): void {
    if (down) throw unavailable('upstream_unavailable', 'The data plane cannot be reached.');
    if (!symbols.includes(symbol)) throw unknownSymbol(symbol, symbols);
    if (after !== undefined && after.ordinal < forgotten)
      throw failedPrecondition('beyond_retention', 'These rows are past retention.', { metadata: { oldest_ms: '1767225600000' } });
  }

  function logOf(wanted: string): LogEntry[] {
    return entries.filter(({ symbol }) => symbol === undefined || symbol === wanted);
  }

  function endOfLog(symbol: string): marketData.LogPosition {
    const last = logOf(symbol).at(-1);
    return {
      epoch: 1,
      ordinal: last === undefined ? forgotten : ordinalOf(last),
      packetWindowEndMs: last !== undefined && 'gap' in last ? 1 : 0,
    };
  }

  /** Batches consecutive rows; sends gaps one at a time. */
  function* messages(log: readonly LogEntry[]): Generator<{ readonly rows: marketData.DataRow[] } | { readonly gap: marketData.Gap }> {
    let rows: marketData.DataRow[] = [];
    for (const entry of log) {
      if ('row' in entry) rows.push(entry.row);
      if (rows.length > 0 && (!('row' in entry) || rows.length === BATCH_SIZE)) {
        yield { rows };
        rows = [];
      }
      if ('gap' in entry) yield entry;
    }
    if (rows.length > 0) yield { rows };
  }

  return {
    append(...added) {
      entries.push(...added);
      report();
    },
    forget(upToOrdinal) {
      forgotten = upToOrdinal;
      while (entries[0] !== undefined && ordinalOf(entries[0]) <= upToOrdinal) entries.shift();
    },
    breakStreams() {
      generation.abort();
      generation = new AbortController();
      report();
    },
    setDown(next) {
      down = next;
    },
    openTotal: () => openTotal,
    openedTotal: () => openedTotal,
    replayedTotal: () => replayedTotal,
    async *streamRows({ symbol, after }, { signal }) {
      refuse(symbol, after);
      const { signal: broken } = generation;
      signal.addEventListener('abort', report, { once: true });
      const start = after ?? endOfLog(symbol);
      openTotal += 1;
      openedTotal += 1;
      try {
        yield {
          frame: {
            $case: 'head',
            value: { symbol, venue: 'simulated', sourceKind: proto.SourceKind.SIMULATED, channels: [], after: start },
          },
        };
        let position = start;
        while (!signal.aborted) {
          if (broken.aborted) throw unavailable('stopping', 'The service is stopping.');
          const heard = changed;
          const log = logOf(symbol);
          const from = log.findIndex((entry) => isAfter(entry, position));
          if (from === -1) {
            await heard;
            continue;
          }
          for (const message of messages(log.slice(from))) {
            yield 'rows' in message
              ? { frame: { $case: 'rows', value: { rows: message.rows } } }
              : { frame: { $case: 'gap', value: message.gap } };
            if ('gap' in message) position = message.gap.place ?? position;
            else
              position = { epoch: 1, ordinal: message.rows[message.rows.length - 1]?.sequence ?? position.ordinal, packetWindowEndMs: 0 };
          }
        }
      } finally {
        openTotal -= 1;
      }
    },
    async *streamReplay(request, { signal }) {
      const { startMs, endMs, channels: requested, speed, further } = request;
      const channels = requested.length > 0 ? requested : USUAL_CHANNELS;
      const logs = [request, ...further].map(({ symbol, after }) => {
        refuse(symbol, after);
        return { symbol, after, inside: logOf(symbol).filter((entry) => isWanted(entry, channels)) };
      });
      const { signal: broken } = generation;
      for (const { symbol, inside } of logs) {
        const [rowsExpected, gapIds] = [inside.filter((entry) => 'row' in entry).length, gapIdsOf(inside)];
        const reported = { symbol, venue: 'simulated', sourceKind: proto.SourceKind.SIMULATED, startMs, endMs, channels, speed, gapIds };
        yield { frame: { $case: 'plan', value: { ...reported, asOfMs: endMs, rowsExpected, gapFramesMax: inside.length - rowsExpected } } };
      }
      for (const { entry, of } of mergedByTime(logs)) {
        if (signal.aborted) return;
        if (broken.aborted) throw unavailable('stopping', 'The service is stopping.');
        if ('gap' in entry) yield { frame: { $case: 'gap', value: entry.gap } };
        else {
          replayedTotal += 1;
          const rows = [entry.row];
          yield { frame: further.length === 0 ? { $case: 'rows', value: { rows } } : { $case: 'mergedRows', value: { rows, of: [of] } } };
        }
      }
      for (const { inside } of logs) yield { frame: { $case: 'receipt', value: receiptOf(inside) } };
    },
  };
}

function isWanted(entry: LogEntry, channels: readonly string[]): boolean {
  return 'row' in entry ? channels.includes(entry.row.channel) : entry.gap.channel === '' || channels.includes(entry.gap.channel);
}

function gapIdsOf(entries: readonly LogEntry[]): string[] {
  return entries.flatMap((entry) => ('gap' in entry ? [entry.gap.gapId] : []));
}

/** Merges the logs after their positions by receive time; a gap goes with the row before it. */
function mergedByTime(logs: readonly { readonly inside: readonly LogEntry[]; readonly after: marketData.LogPosition | undefined }[]) {
  return logs
    .flatMap(({ inside, after }, of) => {
      let receivedMs = 0;
      return inside.map((entry) => {
        receivedMs = 'row' in entry ? entry.row.receivedTsMs : receivedMs;
        return { entry, of, receivedMs, isSent: after !== undefined && !isAfter(entry, after) };
      });
    })
    .filter(({ isSent }) => !isSent)
    .sort((one, other) => one.receivedMs - other.receivedMs || one.of - other.of);
}

function receiptOf(entries: readonly LogEntry[]): marketData.Completeness {
  const rows = entries.flatMap((entry) => ('row' in entry ? [entry.row] : []));
  const gapIds = gapIdsOf(entries);
  let digest: Buffer = Buffer.alloc(32);
  for (const { line } of rows) digest = createHash('sha256').update(digest).update(line).digest();
  const complete = gapIds.length === 0;
  const reasons = complete ? [] : ['gaps_in_window'];
  return { rowsExpected: rows.length, rowsSent: rows.length, gapIds, rowsSha256: digest.toString('hex'), complete, reasons };
}
