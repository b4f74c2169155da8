import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { labeling } from '@market-state/contracts';
import type { Packet } from '@market-state/labeler';
import { WINDOW_MS } from '@market-state/market-data';
import { closingOrdinal } from './made-rows';
import { packetRecord } from './packet-record';

/** Twenty consecutive real packets from the docs. */
const EXAMPLES = readFileSync(join(import.meta.dirname, '..', '..', '..', '..', 'docs', 'examples', 'btcusd-perp-packets.ndjson'), 'utf8')
  .trim()
  .split('\n');

function sha256(...parts: readonly (string | Uint8Array)[]): string {
  return parts.reduce((hash, part) => hash.update(part), createHash('sha256')).digest('hex');
}

/** Shifts every instant in an example. */
function moved(text: string, byMs: number): string {
  return text
    .replace(/\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z/g, (instant) => new Date(Date.parse(instant) + byMs).toISOString())
    .replace(/\b17\d{11}\b/g, (instant) => String(Number(instant) + byMs));
}

export interface TapeWish {
  readonly symbol?: string;
  readonly firstEndMs: number;
  readonly total: number;
  /** Changes a packet before it is stored. */
  readonly change?: (packet: Packet) => object;
}

/**
 * Packets every ten seconds, chained as by the labeler and known a second after their window ends. The sequence
 * identifies the window.
 */
export function tapeRecords({ symbol = 'BTCUSD-PERP', firstEndMs, total, change = (packet) => packet }: TapeWish): labeling.PacketRecord[] {
  const records: labeling.PacketRecord[] = [];
  let lineage = '0'.repeat(64);
  for (let index = 0; index < total; index += 1) {
    const windowEndMs = firstEndMs + index * WINDOW_MS;
    const text = EXAMPLES[index % EXAMPLES.length] ?? '';
    const example = JSON.parse(text) as Packet;
    const eventId = `evt_${symbol}_${windowEndMs}`;
    const own = moved(text, windowEndMs - Date.parse(example.ts))
      .replaceAll(example.symbol, symbol)
      .replaceAll(example.event_id, eventId)
      .replaceAll(example.packet_id, `pkt_${symbol}_${windowEndMs}`);
    const body = Buffer.from(JSON.stringify(change({ ...(JSON.parse(own) as Packet), previous_lineage_digest: lineage })));
    const packetDigest = sha256(body);
    lineage = sha256(Buffer.from(lineage, 'hex'), Buffer.from(packetDigest, 'hex'));
    records.push(
      packetRecord(symbol, windowEndMs, {
        eventId,
        body,
        packetDigest,
        lineageDigest: lineage,
        closingOrdinal: closingOrdinal(windowEndMs),
        generatedTsMs: windowEndMs + 1_000,
        sourceLagMs: 0,
        knownTsMs: windowEndMs + 1_000,
      }),
    );
  }
  return records;
}
