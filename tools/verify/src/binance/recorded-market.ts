import { createReadStream } from 'node:fs';
import { createGunzip } from 'node:zlib';
import { type PlayedInstrument, readRecordingLine, recordingLineBatches } from '@market-state/market-data';
import type { BinanceMarket } from '@market-state/venues';

/** The fields of a depth diff that the suite reads, as the venue sent them. */
export interface RawDiff {
  readonly T: number;
  readonly U: number;
  readonly u: number;
  readonly pu: number;
  readonly b: readonly (readonly [price: string, quantity: string])[];
  readonly a: readonly (readonly [price: string, quantity: string])[];
}

/** The fields of a trade that the suite reads: its number, and its time. */
export interface RawTrade {
  readonly t: number;
  readonly T: number;
}

/** A REST depth answer. */
export interface RawSnapshot {
  readonly lastUpdateId: number;
  readonly bids: readonly (readonly [price: string, quantity: string])[];
  readonly asks: readonly (readonly [price: string, quantity: string])[];
}

/** One message of a stream, and when the recorder received it. */
export interface RecordedMessage {
  readonly receivedMs: number;
  readonly text: string;
  readonly diff?: RawDiff;
  readonly trade?: RawTrade;
}

/** A recording of one instrument, to be played again by a venue that misbehaves. */
export interface RecordedMarket {
  readonly name: string;
  readonly market: BinanceMarket;
  readonly instrument: PlayedInstrument;
  readonly snapshot: RawSnapshot;
  /** Diffs and trades in the order of their receipt, from the first diff on that the snapshot needs. */
  readonly messages: readonly RecordedMessage[];
}

/** Reads the files of a recording, one after the other. @throws Error when they hold no snapshot */
export async function readMarket(
  name: string,
  market: BinanceMarket,
  instrument: PlayedInstrument,
  files: readonly string[],
): Promise<RecordedMarket> {
  const messages: RecordedMessage[] = [];
  let snapshot: RawSnapshot | undefined;
  for (const file of files) {
    for await (const lines of recordingLineBatches(createReadStream(file).pipe(createGunzip()))) {
      for (const line of lines) {
        const read = readRecordingLine(line);
        if (read === undefined) continue;
        const text = read.text.slice(read.messageStart);
        if (text.startsWith('{"lastUpdateId"')) snapshot = JSON.parse(text) as RawSnapshot;
        else if (text.includes('@depth@'))
          messages.push({ receivedMs: read.receivedMs, text, diff: (JSON.parse(text) as { data: RawDiff }).data });
        else if (text.includes('@trade"'))
          messages.push({ receivedMs: read.receivedMs, text, trade: (JSON.parse(text) as { data: RawTrade }).data });
      }
    }
  }
  if (snapshot === undefined) throw new Error(`${name} has no snapshot`);
  const { lastUpdateId } = snapshot;
  const first = messages.findIndex(({ diff }) => diff !== undefined && diff.u >= lastUpdateId);
  return { name, market, instrument, snapshot, messages: messages.slice(first) };
}
