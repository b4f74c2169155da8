import Ajv from 'ajv';
import fc from 'fast-check';
import { SMALL_RUNS } from '../../tests/properties/cases';
import checkpointSchema from '../../schemas/market-state-checkpoint.v1.schema.json';
import packetRowSchema from '../../schemas/market-state-packet-row.v1.schema.json';
import signingKeySchema from '../../schemas/market-state-signing-key.v1.schema.json';
import { POLICY } from '../../tests/label-log';
import { recordingPackets } from '../../tests/recording-packets';
import { createState } from '../reducer/labeler-state';
import { checkpointOf } from './bundles-of-log';
import { readCheckpointLine, packetRowOf, readPacketRow, readSigningKeyLine, signingKeyLine, signingKeyOf, LineError } from './lines';

type Json = Record<string, unknown>;

const state = createState('BTCUSD-PERP', POLICY);
state.log.ordinal = 7;
const packet = packetRowOf(recordingPackets('BTCUSD-PERP')[3] as NonNullable<ReturnType<typeof recordingPackets>[0]>);
const key = JSON.parse(signingKeyLine(signingKeyOf(new Uint8Array(32).fill(9)))) as Json;

const VALUES = fc.oneof(
  fc.constantFrom<unknown>(null, '', 0, 1, -1, 1.5, 20_000, 4_294_967_296, 2 ** 53, true, [], {}, 'live', 'a'.repeat(64), 'A'.repeat(64)),
  fc.constantFrom<unknown>('BTCUSD-PERP', 'btcusd', `${'A'.repeat(33)}USD-PERP`, 'AA==', 'AA===', '!', `${'A'.repeat(86)}==`, {
    packet_type: 'x',
  }),
  fc.constantFrom<unknown>(
    `pkt_${'0'.repeat(26)}`,
    `evt_${'0'.repeat(26)}`,
    `key_${'0'.repeat(26)}`,
    `key_${'u'.repeat(26)}`,
    `${'A'.repeat(43)}=`,
    `${'A'.repeat(42)}B=`,
    `${'A'.repeat(85)}B==`,
  ),
);

describe.each<[string, object, Json, (json: unknown) => unknown]>([
  ['packet', packetRowSchema, packet as unknown as Json, readPacketRow],
  ['checkpoint', checkpointSchema, checkpointOf(state, 20_000) as unknown as Json, readCheckpointLine],
  ['signing key', signingKeySchema, key, readSigningKeyLine],
])('the line of a %s', (_what, schema, line, read) => {
  const isOfSchema = new Ajv({ strict: true, allowUnionTypes: true }).compile(schema);

  it('is read where its schema takes it, whatever is changed in it', () => {
    expect([isOfSchema(line), isRead(line)]).toEqual([true, true]);
    const names = [...Object.keys(line), 'unknown'];
    fc.assert(
      fc.property(fc.constantFrom(...names), fc.option(VALUES, { nil: undefined, freq: 10 }), (name, value) => {
        const changed = JSON.parse(JSON.stringify({ ...line, [name]: value })) as Json;
        expect(isRead(changed)).toBe(isOfSchema(changed));
      }),
      SMALL_RUNS,
    );
  });

  /** Well-formed; the schema does not check that a key's id is its own. */
  function isRead(json: unknown): boolean {
    try {
      read(json);
      return true;
    } catch (error) {
      if (error instanceof LineError) return error.faults.every((fault) => fault.startsWith('key_id does not match the key'));
      throw error;
    }
  }
});
