import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { openEngine, digestOfFile, type Row, writeParquet } from '@market-state/archive';
import { marketData } from '@market-state/contracts';
import type { ExportSpec, PartOrder, SourceHour } from '@market-state/export';
import {
  columnsOf,
  type Compression,
  type Dataset,
  defaultDepth,
  fileExtension,
  type Format,
  isLogDataset,
  type LogDataset,
} from '@market-state/export-schema';
import { createClient, type GrpcClient } from '@market-state/grpc';
import { ownInstallation } from '@market-state/launcher';
import type { Closer } from '@market-state/lifecycle';
import { archiveLayoutOf, archiveRow, type DataChannel, encodeEvent, storedVenueId } from '@market-state/market-data';
import type { ExportMarket } from '@market-state/recorded-market';
import { scenarioSet } from '@market-state/scenarios';

const DATA_CHANNELS: Readonly<Partial<Record<LogDataset, DataChannel>>> = { context: 'context', liquidations: 'liquidation' };
const SEED = 20_261_123;

/**
 * Archive file of a dataset missing from the bundled recordings: rows of the scenario set under the exported symbol.
 */
export async function simulatedHour(
  archiveFolder: string,
  symbol: string,
  dataset: LogDataset,
  startMs: number,
): Promise<SourceHour | undefined> {
  const channel = DATA_CHANNELS[dataset];
  if (channel === undefined) return undefined;
  const rows: Row[] = [];
  for (const event of scenarioSet({ seed: SEED, symbol, startMs }).events) {
    if (event.kind !== channel) continue;
    const { ordinal, epoch, pass, exchangeTsMs, receivedTsMs } = event;
    const stored = {
      ordinal,
      epoch,
      pass,
      exchangeTsMs,
      receivedTsMs,
      venueId: storedVenueId(event, 0),
      flags: 0,
      payload: encodeEvent(event),
    };
    const row = archiveRow(symbol, channel, stored, event);
    if (row !== undefined) rows.push(row);
  }
  const key = `simulated/${dataset}/part.parquet`;
  const file = join(archiveFolder, key);
  mkdirSync(dirname(file), { recursive: true });
  const engine = await openPlainEngine();
  await writeParquet(engine, file, {
    columns: archiveLayoutOf(channel).columns,
    rows: (async function* () {
      yield rows;
    })(),
  });
  engine.close();
  return {
    hourMs: startMs,
    firstOrdinal: 1,
    lastOrdinal: Number.MAX_SAFE_INTEGER,
    rows: rows.length,
    file: { key, ...(await digestOfFile(file)) },
  };
}

export const SYMBOL = 'BTCUSD-PERP';
const HOUR_MS = 3_600_000;
const SECOND_MS = 1_000;
const INSTANT_MS_MAX = Date.UTC(2100, 0);
const DEADLINE_MS = 60_000;

const { Channel } = marketData;
const CHANNELS: Readonly<Record<LogDataset, marketData.Channel>> = {
  book: Channel.BOOK,
  trades: Channel.TRADE,
  context: Channel.CONTEXT,
  liquidations: Channel.LIQUIDATION,
};

export interface Sources {
  readonly marketData: GrpcClient<marketData.MarketDataServiceService>;
  readonly market: ExportMarket;
  hoursOf(
    dataset: LogDataset,
    isArchived: boolean,
    toMs: number,
  ): Promise<{ readonly hours: readonly SourceHour[]; readonly rows: number; readonly toOrdinal: number }>;
}

export function openSources(closer: Closer, market: ExportMarket): Sources {
  const client = createClient({
    definition: marketData.MarketDataServiceService,
    address: market.address,
    peer: ownInstallation().peer('data-plane'),
    deadlineMs: DEADLINE_MS,
  });
  closer.add('data plane', () => client.close());
  return {
    marketData: client,
    market,
    async hoursOf(dataset, isArchived, toMs) {
      const request = { symbol: SYMBOL, channel: CHANNELS[dataset], startMs: market.startMs - HOUR_MS, endMs: toMs };
      const plan = await client.call.planSpan({ ...request, asOfMs: 0, countRows: true });
      const hours = plan.hours
        .filter(({ file }) => (file !== undefined) === isArchived)
        .map(({ hourMs, firstOrdinal, lastOrdinal, file, days }) => ({
          hourMs,
          firstOrdinal,
          lastOrdinal,
          rows: days.reduce((sum, { rows }) => sum + rows, 0),
          ...(file === undefined ? {} : { file: { key: file.objectKey, sha256: file.sha256, bytes: file.bytes } }),
        }));
      return { hours, rows: hours.reduce((sum, { rows }) => sum + rows, 0), toOrdinal: plan.toOrdinal };
    },
  };
}

export interface Written {
  readonly dataset: Dataset;
  readonly format: Format;
  readonly compression: Compression;
  /** End of its span in epoch milliseconds; default: the recording's. */
  readonly toMs?: number;
}

function specOf({ market }: Sources, { dataset, format, compression, toMs = market.endMs + HOUR_MS }: Written): ExportSpec {
  const depth = dataset === 'book' ? defaultDepth(format) : 0;
  return {
    dataset,
    symbols: [SYMBOL],
    fromMs: market.startMs - HOUR_MS,
    toMs,
    asOfMs: INSTANT_MS_MAX,
    format,
    compression,
    intervalMs: dataset === 'candles' ? 60 * SECOND_MS : 0,
    depth,
    columns: columnsOf({ dataset, format, depth }).map(({ name }) => name),
  };
}

/** A part over a dataset's hours, repeated as needed: a day is one hour 24 times. */
export async function partOf(sources: Sources, written: Written, isArchived: boolean, times = 1): Promise<PartOrder> {
  const spec = specOf(sources, written);
  const found = isLogDataset(written.dataset)
    ? await sources.hoursOf(written.dataset, isArchived, spec.toMs)
    : { hours: [], rows: 1_000_000, toOrdinal: 0 };
  return {
    job: { jobId: 'bench', spec },
    symbol: SYMBOL,
    name: `part.${fileExtension(written.format, written.compression)}`,
    plan: {
      fromMs: spec.fromMs,
      toMs: spec.toMs,
      toOrdinal: found.toOrdinal,
      hours: Array.from({ length: times }, () => found.hours).flat(),
    },
    rowTotal: found.rows * times,
    attempt: 1,
  };
}

export function openPlainEngine(): ReturnType<typeof openEngine> {
  return openEngine({ memoryMb: 256 });
}
