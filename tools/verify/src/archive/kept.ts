import { createHash } from 'node:crypto';
import { createFolderStore, readManifest } from '@market-state/archive';
import { marketData } from '@market-state/contracts';
import { createClient } from '@market-state/grpc';
import { freePort, ownInstallation, type Stores, waitForOk, withClient } from '@market-state/launcher';
import { timeLimit } from '@market-state/lifecycle';
import { decodeEvent } from '@market-state/market-data';
import { startProcess, withCloser } from '@market-state/testing';

/** One archived hour, as database and manifest tell it alike. */
export interface KeptFile {
  readonly object_key: string;
  readonly rows: number;
  readonly rows_sha256: string;
  readonly sha256: string;
}

/** What a run left. */
export interface Kept {
  readonly files: readonly KeptFile[];
  /** Rows that are still in the database. */
  readonly hotTotal: number;
  /** Sentences on what database and archive say otherwise of each other. */
  readonly faults: readonly string[];
}

export async function readKept(stores: Stores, archiveFolder: string): Promise<Kept> {
  const store = createFolderStore(archiveFolder);
  const faults: string[] = [];
  const { rows, hotTotal } = await withClient(stores.postgresUrl('data_plane'), async (client) => ({
    rows: (
      await client.query<KeptFile & { row_total: string }>(
        'SELECT object_key, row_total, rows_sha256, sha256 FROM archive_file ORDER BY object_key',
      )
    ).rows,
    hotTotal: Number((await client.query<{ total: string }>('SELECT count(*) AS total FROM log_entry')).rows[0]?.total),
  }));
  for (const { object_key: key, row_total: total, rows_sha256: chain, sha256 } of rows) {
    const manifest = await readManifest(store, key);
    const isSame = manifest?.rows === Number(total) && manifest.rows_sha256 === chain && manifest.sha256 === sha256;
    if (!isSame) faults.push(`${key}: the manifest is not what the database says.`);
  }
  const known = new Set(rows.map(({ object_key }) => object_key));
  const files = (await store.list('')).filter((key) => key.endsWith('.parquet'));
  for (const key of files) if (!known.has(key)) faults.push(`${key}: the database knows nothing of this file.`);
  return {
    files: rows.map(({ object_key, row_total, rows_sha256, sha256 }) => ({ object_key, rows: Number(row_total), rows_sha256, sha256 })),
    hotTotal,
    faults,
  };
}

/** A symbol's log as a caller of the data plane is given it. */
export interface Served {
  readonly entryTotal: number;
  readonly digest: string;
  readonly contradictions: number;
  /** First entry whose ordinal is not one more than that of the one before; undefined when there is none. */
  readonly outOfOrder: number | undefined;
}

/** Reads the whole log of every symbol through a data-plane process, from hot rows and archive. */
export function readServed(env: NodeJS.ProcessEnv, symbols: readonly string[]): Promise<Map<string, Served>> {
  return withCloser(async (closer) => {
    const nobody = `127.0.0.1:${await freePort()}`;
    const dataPlane = await startProcess(closer, 'data-plane', {
      ...env,
      RPC_TOKEN_FILE: ownInstallation().writeTokenFile('data-plane'),
      FEED_ADDRESS: nobody,
      RECORDER_ADDRESS: nobody,
    });
    const client = createClient({
      definition: marketData.MarketDataServiceService,
      peer: ownInstallation().peer('data-plane'),
      address: dataPlane.address,
    });
    closer.add('client', () => client.close());
    await waitForOk(`${dataPlane.opsUrl}/livez`, timeLimit(60_000));
    const served = new Map<string, Served>();
    for (const symbol of symbols)
      served.set(symbol, await readLog(client.call.streamLogEntries({ symbol, afterOrdinal: 0, toOrdinal: 0 })));
    return served;
  });
}

async function readLog(messages: AsyncIterable<marketData.StreamLogEntriesResponse>): Promise<Served> {
  const digest = createHash('sha256');
  let entryTotal = 0;
  let contradictions = 0;
  let outOfOrder: number | undefined;
  for await (const { entries, contradictingOrdinals } of messages) {
    contradictions += contradictingOrdinals.length;
    for (const payload of entries) {
      entryTotal += 1;
      digest.update(payload);
      if (decodeEvent(payload).ordinal !== entryTotal) outOfOrder ??= entryTotal;
    }
  }
  return { entryTotal, digest: digest.digest('hex'), contradictions, outOfOrder };
}
