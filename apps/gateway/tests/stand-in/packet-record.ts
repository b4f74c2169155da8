import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type labeling, marketData } from '@market-state/contracts';
import type { Packet } from '@market-state/labeler';
import { readMarket } from '@market-state/market-data';

/** Log position of the closing entry: after every stand-in row. */
const CLOSING_ORDINAL = 2 ** 40;

/** A real packet: the first example in the docs. */
const [EXAMPLE = ''] = readFileSync(
  join(import.meta.dirname, '..', '..', '..', '..', 'docs', 'examples', 'btcusd-perp-packets.ndjson'),
  'utf8',
).split('\n', 1);

/** Packet JSON split at placeholders for ids, symbol and instants; odd pieces are placeholder names. */
const PIECES = pieces();

function pieces(): readonly string[] {
  const example = JSON.parse(EXAMPLE) as Packet;
  const text = EXAMPLE.replaceAll(example.symbol, '<symbol>')
    .replaceAll(example.event_id, '<event>')
    .replaceAll(example.packet_id, '<packet>');
  const packet = JSON.parse(text) as Packet;
  const named = {
    ...packet,
    ts: '<end>',
    scope: { ...packet.scope, venue: '<venue>', window_start_utc: '<start>', window_end_utc: '<end>' },
    replay: { ...packet.replay, cursor: 'rc1.<market>.<ms>' },
    route_refs: {
      latest: '/api/public/market-state/latest?symbol=<market>',
      replay: '/api/public/market-state/replay?symbol=<market>',
    },
    reasons: Array.from({ length: 60 }, (_reason, index) => `Reason ${index} of the window that ends at <ms>.`),
  };
  return JSON.stringify(named).split(/<(symbol|market|venue|event|packet|start|end|ms)>/);
}

/** Record of a realistic packet with many reasons, for the window that ends at `windowEndMs`. */
export function packetRecord(symbol: string, windowEndMs: number, overrides: Partial<labeling.PacketRecord> = {}): labeling.PacketRecord {
  const name = symbol.replace('@', '-');
  const packetId = `pkt_${name}_${windowEndMs}`;
  const eventId = `evt_${name}_${windowEndMs}`;
  const values: Readonly<Record<string, string>> = {
    symbol: readMarket(symbol).symbol,
    market: symbol,
    venue: readMarket(symbol).venue ?? 'binance-coinm',
    event: eventId,
    packet: packetId,
    start: new Date(windowEndMs - 10_000).toISOString(),
    end: new Date(windowEndMs).toISOString(),
    ms: String(windowEndMs),
  };
  const body = Buffer.from(PIECES.map((piece, index) => (index % 2 === 0 ? piece : values[piece])).join(''));
  const digest = createHash('sha256').update(body).digest('hex');
  return {
    symbol,
    windowEndMs,
    sequence: Math.floor(windowEndMs / 10_000),
    packetId,
    eventId,
    body,
    packetDigest: digest,
    lineageDigest: digest,
    inputDigest: digest,
    policyDigest: digest,
    generatedTsMs: windowEndMs + 1_250,
    sourceLagMs: 40,
    headline: `${symbol} reads calm.`,
    customerNextStep: 'Keep watching.',
    sourceKind: marketData.SourceKind.RECORDED,
    signature: Buffer.alloc(64, 7),
    signingKeyId: `key_${'0'.repeat(26)}`,
    closingEpoch: 1,
    closingOrdinal: CLOSING_ORDINAL,
    knownTsMs: windowEndMs + 1_210,
    ...overrides,
  };
}
