import { createReadStream, createWriteStream } from 'node:fs';
import { once } from 'node:events';
import { join } from 'node:path';
import { createGunzip } from 'node:zlib';
import { createState, type LabelerState, loadPolicy, packetRowLine, packetRowOf, reduce } from '@market-state/labeler';
import { type MarketEvent, openRecording, recordingLineBatches, rowLine } from '@market-state/market-data';
import { bundledRecording } from '@market-state/recorded-market';

/** Log entries in batches. */
export type Batches = Iterable<Iterable<MarketEvent>> | AsyncIterable<Iterable<MarketEvent>>;

/** Rows of a log, and the packets that the product makes of them. */
export interface LabelledFiles {
  readonly rows: string;
  readonly packets: string;
}

/** The log of a bundled recording's files, played once. */
export async function* recordingLog(names: readonly string[]): AsyncGenerator<readonly MarketEvent[]> {
  const files = names.map((name) => ({ name, lines: recordingLineBatches(createReadStream(bundledRecording(name)).pipe(createGunzip())) }));
  yield* (await openRecording(files)).events;
}

/** Writes one symbol's log and its packets into the folder, over what was there. */
export async function writeLabelled(folder: string, batches: Batches): Promise<LabelledFiles> {
  const files = { rows: join(folder, 'rows.ndjson'), packets: join(folder, 'packets.ndjson') };
  const rows = createWriteStream(files.rows);
  const packets = createWriteStream(files.packets);
  const policy = loadPolicy();
  let state: LabelerState | undefined;
  for await (const batch of batches) {
    for (const event of batch) {
      state ??= createState(event.symbol, policy);
      if (!rows.write(`${rowLine(event)}\n`)) await once(rows, 'drain');
      for (const packet of reduce(state, event)) {
        if (!packets.write(`${packetRowLine(packetRowOf(packet))}\n`)) await once(packets, 'drain');
      }
    }
  }
  await Promise.all([rows, packets].map((stream) => (stream.end(), once(stream, 'finish'))));
  return files;
}
