import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import {
  type Column,
  digestOfFile,
  type Engine,
  ObjectNotFoundError,
  type ObjectStore,
  type Row,
  writeParquet,
} from '@market-state/archive';
import { isLogDataset, type LogDataset, TIMEFRAMES } from '@market-state/export-schema';
import { archiveLayoutOf, archiveRow, type DataChannel, decodeEvent } from '@market-state/market-data';
import type { ExportSpec, PartOrder, PartPlan, SourceFile, SourceHour } from '../jobs/job';
import { channelOf } from '../planning/plan-symbol';
import type { Upstreams } from '../upstreams';
import { PartError } from './part-error';

export interface SourceDeps extends Pick<Upstreams, 'marketData' | 'labeling'> {
  readonly archive: ObjectStore | undefined;
}

interface Workplace {
  readonly engine: Engine;
  readonly scratch: string;
  readonly signal: AbortSignal;
}

/**
 * Local Parquet files with a part's rows, in order: archive files, verified by digest, and files for rows not archived
 * yet.
 * @throws {PartError} `source_damaged`, `source_gone`
 */
export async function sourcesOf(deps: SourceDeps, part: PartOrder, place: Workplace): Promise<string[]> {
  if (part.job.spec.dataset === 'candles') return [await candleFile(deps, part, place)];
  const files: string[] = [];
  for (const hour of part.plan.hours) {
    place.signal.throwIfAborted();
    const isKept = hour.file !== undefined && deps.archive !== undefined;
    files.push(isKept ? await archivedFile(deps.archive, hour, hour.file) : await requestedFile(deps, part, hour, place));
  }
  return files;
}

async function archivedFile(archive: ObjectStore, { hourMs }: SourceHour, { key, sha256 }: SourceFile): Promise<string> {
  const hour = new Date(hourMs).toISOString();
  const path = await archive.get(key).catch((error: unknown) => {
    if (error instanceof ObjectNotFoundError) throw new PartError('source_gone', `Hour ${hour}.`, { cause: error });
    throw error;
  });
  const found = await digestOfFile(path);
  if (found.sha256 !== sha256) throw new PartError('source_damaged', `Hour ${hour}.`);
  return path;
}

async function requestedFile(deps: SourceDeps, { job, symbol, plan }: PartOrder, hour: SourceHour, place: Workplace): Promise<string> {
  const file = join(place.scratch, `hour-${hour.hourMs}-${hour.firstOrdinal}.parquet`);
  const { dataset } = job.spec;
  const content = isLogDataset(dataset)
    ? { columns: logColumns(dataset), rows: logRows(deps, { spec: job.spec, dataset, symbol, plan, hour }, place.signal) }
    : { columns: PACKET_COLUMNS, rows: packetRows(deps, { spec: job.spec, symbol, plan, hour }) };
  await writeParquet(place.engine, file, { ...content, compression: 'uncompressed' });
  return file;
}

async function candleFile(deps: SourceDeps, { job, symbol, plan }: PartOrder, { engine, scratch }: Workplace): Promise<string> {
  const file = join(scratch, 'candles.parquet');
  await writeParquet(engine, file, { columns: CANDLE_COLUMNS, rows: candleRows(deps, { spec: job.spec, symbol, plan }) });
  return file;
}

/** Rows decoded between yields, so that heartbeats can run. */
const PIECE_ROWS = 128;

const CHANNELS: Readonly<Record<LogDataset, DataChannel>> = {
  book: 'book',
  trades: 'trade',
  context: 'context',
  liquidations: 'liquidation',
};

/** The full event: the largest column, not used by exports. */
const NOT_READ = 'payload';

function logColumns(dataset: LogDataset): readonly Column[] {
  return archiveLayoutOf(CHANNELS[dataset]).columns.filter(({ name }) => name !== NOT_READ);
}

interface LogRowsWanted {
  readonly spec: ExportSpec;
  readonly dataset: LogDataset;
  readonly symbol: string;
  readonly plan: PartPlan;
  readonly hour: SourceHour;
}

/**
 * Rows not archived yet, in log order, with values in the order of `logColumns`.
 * @throws {PartError} `source_damaged` if a row does not match its entry
 */
async function* logRows(
  { marketData }: Pick<Upstreams, 'marketData'>,
  { spec, dataset, symbol, plan, hour }: LogRowsWanted,
  signal: AbortSignal,
): AsyncGenerator<Row[]> {
  const channel = CHANNELS[dataset];
  const notRead = archiveLayoutOf(channel).columns.findIndex(({ name }) => name === NOT_READ);
  const messages = marketData.call.streamStoredRows(
    {
      symbol,
      channel: channelOf(dataset),
      startMs: plan.fromMs,
      endMs: plan.toMs,
      asOfMs: spec.asOfMs,
      afterOrdinal: hour.firstOrdinal - 1,
      toOrdinal: Math.min(hour.lastOrdinal, plan.toOrdinal),
    },
    { signal },
  );
  for await (const { rows } of messages) {
    for (let at = 0; at < rows.length; at += PIECE_ROWS) {
      yield rows.slice(at, at + PIECE_ROWS).map((row) => {
        const stored = { ...row, venueId: row.venueId === '' ? null : row.venueId };
        const cells = archiveRow(symbol, channel, stored, decodeEvent(row.payload));
        if (cells === undefined) throw new PartError('source_damaged', `Row ${row.ordinal} of ${symbol} does not match its log entry.`);
        return cells.toSpliced(notRead, 1);
      });
      await setImmediate();
    }
  }
}

const HOUR_MS = 3_600_000;
const PACKETS_A_PAGE = 100;

/** Names and types are those of archive files. */
const PACKET_COLUMNS: readonly Column[] = [
  { name: 'window_end_ms', type: 'int64' },
  { name: 'sequence', type: 'int64' },
  ...['packet_id', 'event_id', 'body', 'packet_digest', 'lineage_digest', 'input_digest', 'policy_digest'].map(
    (name): Column => ({ name, type: 'text' }),
  ),
  { name: 'signature', type: 'blob' },
  { name: 'signing_key_id', type: 'text' },
  { name: 'known_ts_ms', type: 'int64' },
];

async function* packetRows(
  { labeling }: Pick<Upstreams, 'labeling'>,
  { spec, symbol, plan, hour }: { readonly spec: ExportSpec; readonly symbol: string; readonly plan: PartPlan; readonly hour: SourceHour },
): AsyncGenerator<Row[]> {
  let pageToken = '';
  do {
    const page = await labeling.call.listPackets({
      symbol,
      fromWindowEndMs: Math.max(plan.fromMs, hour.hourMs),
      toWindowEndMs: Math.min(plan.toMs, hour.hourMs + HOUR_MS),
      pageSize: PACKETS_A_PAGE,
      pageToken,
      descending: false,
      asOfMs: spec.asOfMs,
    });
    yield page.packets.map(
      (packet): Row => [
        packet.windowEndMs,
        packet.sequence,
        packet.packetId,
        packet.eventId,
        packet.body.toString('utf8'),
        packet.packetDigest,
        packet.lineageDigest,
        packet.inputDigest,
        packet.policyDigest,
        packet.signature.length === 0 ? null : packet.signature,
        packet.signingKeyId === '' ? null : packet.signingKeyId,
        packet.knownTsMs,
      ],
    );
    pageToken = page.nextPageToken;
  } while (pageToken !== '');
}

const CANDLES_A_PAGE = 1_000;
const TEXTS = ['venue', 'tf', 'open', 'high', 'low', 'close', 'volume', 'notional'] as const;

const CANDLE_COLUMNS: readonly Column[] = [
  ...TEXTS.map((name): Column => ({ name, type: 'text' })),
  { name: 'open_ts_ms', type: 'int64' },
  { name: 'close_ts_ms', type: 'int64' },
  { name: 'trade_total', type: 'int64' },
  { name: 'complete', type: 'bool' },
  { name: 'gap', type: 'bool' },
];

async function* candleRows(
  { marketData }: Pick<Upstreams, 'marketData'>,
  { spec, symbol, plan }: { readonly spec: ExportSpec; readonly symbol: string; readonly plan: PartPlan },
): AsyncGenerator<Row[]> {
  const { intervalMs, asOfMs } = spec;
  const tf = Object.entries(TIMEFRAMES).find(([, lengthMs]) => lengthMs === intervalMs)?.[0] ?? '';
  let pageToken = '';
  do {
    const page = await marketData.call.listCandles({
      symbol,
      fromMs: plan.fromMs,
      toMs: plan.toMs,
      pageSize: CANDLES_A_PAGE,
      pageToken,
      intervalMs,
      asOfMs,
    });
    yield page.candles.map((candle): Row => {
      const price = (text: string): string | null => (text === '' ? null : text);
      return [
        page.venue,
        tf,
        price(candle.open),
        price(candle.high),
        price(candle.low),
        price(candle.close),
        candle.volume,
        candle.notional,
        candle.openTsMs,
        candle.closeTsMs,
        candle.tradeTotal,
        candle.complete,
        candle.gap,
      ];
    });
    pageToken = page.nextPageToken;
  } while (pageToken !== '');
}
