import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { createState, loadPolicy, readPacketRow, reduce, type PacketRow } from '@market-state/labeler';
import { openRecording, recordingLineBatches } from '@market-state/market-data';
import type { Outcome } from './run';

async function* chunkOf(file: string): AsyncGenerator<Uint8Array> {
  yield await Promise.resolve(gunzipSync(readFileSync(file)));
}

/** Packet digests of a recording, computed with the libraries. */
export async function digestsInProcess(files: readonly string[]): Promise<readonly string[]> {
  const recording = await openRecording(files.map((name) => ({ name, lines: recordingLineBatches(chunkOf(name)) })));
  const state = createState(recording.symbol, loadPolicy());
  const digests: string[] = [];
  for await (const events of recording.events) {
    for (const event of events)
      digests.push(...reduce(state, event).map(({ packetDigest, lineageDigest }) => `${packetDigest} ${lineageDigest}`));
  }
  return digests;
}

export function rowsOf({ lines }: Outcome): readonly PacketRow[] {
  return lines.map((line) => readPacketRow(JSON.parse(line)));
}

/** Expects success and exactly these packets of one symbol. */
export function expectPackets(outcome: Outcome, symbol: string, digests: readonly string[]): void {
  expect(outcome.exitCode).toBe(0);
  const rows = rowsOf(outcome);
  expect(rows.length).toBeGreaterThan(60);
  expect(new Set(rows.map((row) => row.symbol))).toEqual(new Set([symbol]));
  expect(rows.map((row) => `${row.packet_digest} ${row.lineage_digest}`)).toEqual(digests);
}
