import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { createMessage, labeling } from '@market-state/contracts';
import { createState, loadPolicy, type PacketResult, reduce } from '@market-state/labeler';
import { bundledFiles, instrumentOf, recordingLines, recordingLog } from '@market-state/market-data';
import { bundledRecording } from '@market-state/recorded-market';
import { wholeBetween } from '@market-state/testing';

/** Symbols with a bundled recording. */
export const RECORDED_SYMBOLS: readonly string[] = Object.keys(bundledFiles);

/** One of so many packets is left out, and one stretch of more than ten minutes. */
const HOLE_EVERY = 40;
const LONG_HOLE_PACKETS = 70;
/** Trades fall silent for three minutes in every half hour, so that a feed is stale at times. */
const SILENT_EVERY_MS = 1_800_000;
const SILENT_MS = 180_000;

/** The packets of a bundled recording, looped until there are so many, with silent trades and holes; numbered as labeling numbers them. */
export function recordedPackets(symbol: string, total: number, random: () => number): labeling.PacketRecord[] {
  const longHole = wholeBetween(Math.floor(total / 3), Math.floor(total / 2), random);
  const records: labeling.PacketRecord[] = [];
  let at = 0;
  for (const packet of packetsOf(symbol)) {
    if (records.length === total) break;
    at += 1;
    const isInLongHole = at > longHole && at <= longHole + LONG_HOLE_PACKETS;
    if (isInLongHole || (at > 1 && wholeBetween(1, HOLE_EVERY, random) === 1)) continue;
    records.push(recordOf(packet, records.length + 1));
  }
  return records;
}

function* packetsOf(symbol: string): Generator<PacketResult> {
  const lines = (bundledFiles[symbol] ?? []).flatMap((file) => [...recordingLines(gunzipSync(readFileSync(bundledRecording(file))))]);
  const state = createState(symbol, loadPolicy());
  for (const event of recordingLog({ instrument: instrumentOf(symbol), lines, firstShiftMs: 0 })) {
    const isSilent = event.receivedTsMs % SILENT_EVERY_MS < SILENT_MS;
    if (event.kind !== 'trade' || !isSilent) yield* reduce(state, event);
  }
}

function recordOf({ symbol, windowEndMs, eventId, packetId, body }: PacketResult, sequence: number): labeling.PacketRecord {
  return createMessage(labeling.PacketRecord, { symbol, windowEndMs, sequence, eventId, packetId, body: Buffer.from(body) });
}
