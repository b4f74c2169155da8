import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { digestOfFile, type Row, writeParquet } from '@market-state/archive';
import type { SourceHour } from '@market-state/export';
import type { LogDataset } from '@market-state/export-schema';
import { archiveLayoutOf, archiveRow, type DataChannel, encodeEvent, storedVenueId } from '@market-state/market-data';
import { scenarioSet } from '@market-state/scenarios';
import { openPlainEngine } from './sources';

const CHANNELS: Readonly<Partial<Record<LogDataset, DataChannel>>> = { context: 'context', liquidations: 'liquidation' };
const SEED = 20_261_123;

/** An archive file of a dataset that the bundled recordings have no rows of: those of the scenario set, under the exported symbol. */
export async function simulatedHour(
  archiveFolder: string,
  symbol: string,
  dataset: LogDataset,
  startMs: number,
): Promise<SourceHour | undefined> {
  const channel = CHANNELS[dataset];
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
