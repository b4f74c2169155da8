import { createHash } from 'node:crypto';
import { type labeling, marketData } from '@market-state/contracts';
import { openApiDocument, type Schema } from '../../src/openapi/document';
import { dereference } from '../../src/openapi/dereference';

const packetSchema = dereference(openApiDocument, openApiDocument.components.schemas['Packet'] ?? {});

/** The plainest value that keeps to a schema. */
function plainest(schema: Schema): unknown {
  if ('const' in schema) return schema['const'];
  if (Array.isArray(schema['enum'])) return schema['enum'][0];
  const type = Array.isArray(schema.type) ? schema.type[0] : schema.type;
  switch (type) {
    case 'object':
      return Object.fromEntries(Object.entries((schema['properties'] ?? {}) as Record<string, Schema>).map(([key, inner]) => [key, plainest(inner)]));
    case 'array':
      return [plainest(schema['items'] as Schema)];
    case 'integer':
    case 'number':
      return schema['minimum'] ?? 0;
    case 'boolean':
      return false;
    case 'string':
      return String(schema['pattern'] ?? '').includes('T') ? new Date(0).toISOString() : 'word';
    default:
      return null;
  }
}

/** A record whose packet holds every field of the document's Packet, with the window that ends at `windowEndMs`. */
export function packetRecord(symbol: string, windowEndMs: number, overrides: Partial<labeling.PacketRecord> = {}): labeling.PacketRecord {
  const packetId = `pkt_${symbol}_${windowEndMs}`;
  const packet = {
    ...(plainest(packetSchema) as object),
    packet_id: packetId,
    symbol,
    driver_strengths: { spread_bps: 1.25, funding_rate_abs: null },
    route_refs: { latest: `/api/public/market-state/latest?symbol=${symbol}`, replay: `/api/public/market-state/replay?symbol=${symbol}` },
    reasons: Array.from({ length: 60 }, (_reason, index) => `Reason ${index} of the window that ends at ${windowEndMs}.`),
  };
  const body = Buffer.from(JSON.stringify(packet));
  const digest = createHash('sha256').update(body).digest('hex');
  return {
    symbol,
    windowEndMs,
    sequence: Math.floor(windowEndMs / 10_000),
    packetId,
    eventId: `evt_${symbol}_${windowEndMs}`,
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
    closingOrdinal: 0,
    ...overrides,
  };
}
