import fc from 'fast-check';
import { anyCharacter, SMALL_RUNS } from '../../tests/properties/cases';
import { recordingPackets } from '../../tests/recording-packets';
import { without } from '../../tests/without';
import { canonicalJson, sha256Hex } from '../lineage';
import { LineError, packetResultLine, packetRowLine, packetRowOf, readPacketRow, type PacketRow } from './lines';

const results = recordingPackets('BTCUSD-PERP');
const rows = results.map((result) => packetRowOf(result));
const firstRow = rows[0] as PacketRow;

const hex = fc.stringMatching(/^[0-9a-f]{64}$/);
const idEnd = fc.stringMatching(/^[0-9a-hjkmnp-tv-z]{26}$/);
const place = fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER });
const anyRow = fc.record({
  schema: fc.constant('market_state_packet_row.v1'),
  symbol: fc.stringMatching(/^[A-Z0-9]{1,12}USD-PERP$/),
  window_end_ms: fc.integer({ min: 0, max: 900_000_000_000 }).map((windows) => windows * 10_000),
  packet_id: idEnd.map((end) => `pkt_${end}`),
  event_id: idEnd.map((end) => `evt_${end}`),
  input_digest: hex,
  policy_digest: hex,
  previous_lineage_digest: hex,
  packet_digest: hex,
  lineage_digest: hex,
  source_kind: fc.constantFrom('live', 'recorded', 'simulated'),
  closing_ordinal: fc.option(place),
  headline: fc.string(),
  customer_next_step: fc.string({ unit: anyCharacter }),
  signature: fc.option(fc.uint8Array({ minLength: 64, maxLength: 64 }).map((bytes) => Buffer.from(bytes).toString('base64'))),
  signing_key_id: fc.option(idEnd.map((end) => `key_${end}`)),
  packet: fc
    .dictionary(fc.string({ unit: 'grapheme-ascii' }), fc.jsonValue())
    .map((members) => ({ ...members, packet_type: 'market_state.v1' })),
});

test('a packet of a recording survives its line, and the digest on the line is that of the packet on it', () => {
  expect(rows.length).toBeGreaterThan(60);
  for (const [index, row] of rows.entries()) {
    const read = readPacketRow(JSON.parse(packetRowLine(row)));
    expect(read).toEqual(row);
    expect(sha256Hex(canonicalJson(read.packet))).toBe(results[index]?.packetDigest);
  }
});

test('the line of a packet just made is that of its row, signed or not', () => {
  const signed = { signature: 'c2lnbmVk', signingKeyId: `key_${'0'.repeat(26)}` };
  for (const result of results) {
    expect(packetResultLine(result)).toBe(packetRowLine(packetRowOf(result)));
    expect(packetResultLine(result, signed)).toBe(packetRowLine(packetRowOf(result, signed)));
  }
});

test('any row survives its line, and the line is canonical', () => {
  fc.assert(
    fc.property(anyRow, (row) => {
      const line = packetRowLine(row as unknown as PacketRow);
      const read = readPacketRow(JSON.parse(line));
      expect(canonicalJson(read)).toBe(line);
      expect(line).not.toContain('\n');
    }),
    SMALL_RUNS,
  );
});

test('a row without a field, with one too many, or with a value out of form is refused by the name of the field', () => {
  const spoilt: Record<string, unknown> = {
    schema: 'market_state_packet_row.v2',
    symbol: 'btc',
    window_end_ms: 10_001,
    packet_id: 'pkt_1',
    event_id: 'pkt_07fjj95weys96hdv9q3rzje7my',
    source_kind: 'made_up',
    closing_ordinal: 0,
    headline: 3,
    signature: 'c2hvcnQ=',
    signing_key_id: '',
    packet: {},
  };
  for (const field of Object.keys(firstRow)) {
    expect(faultsOf(without(firstRow as unknown as Record<string, unknown>, field))).toEqual([`${field} is missing`]);
    const faults = faultsOf({ ...firstRow, [field]: field in spoilt ? spoilt[field] : 'A'.repeat(64) });
    if (field !== 'customer_next_step') expect(faults.join()).toContain(field === 'packet' ? 'packet_type' : field);
  }
  expect(faultsOf({ ...firstRow, colour: 'red', size: 1 })).toEqual(['colour is not a known field', 'size is not a known field']);
  expect(faultsOf(null)).toEqual(['it must be an object']);
});

function faultsOf(json: unknown): readonly string[] {
  try {
    readPacketRow(json);
    return [];
  } catch (error) {
    if (error instanceof LineError) return error.faults;
    throw error;
  }
}
