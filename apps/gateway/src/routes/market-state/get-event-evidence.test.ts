import type { labeling } from '@market-state/contracts';
import type { PacketClient, ServedPacket } from '../../clients/packet-client';
import { signatureReader } from './get-event-evidence';

function keyOf(keyId: string, validToMs = 0): labeling.SigningKey {
  return { keyId, publicKey: Buffer.from(keyId), validFromMs: 1_000, validToMs };
}

/** A signature reader with its clock and labeling's keys. */
function reading(keys: labeling.SigningKey[]) {
  const state = { keys, nowMs: 0, calls: 0 };
  const listSigningKeys = async () => {
    state.calls += 1;
    return { keys: state.keys };
  };
  const read = signatureReader({ call: { listSigningKeys } } as unknown as PacketClient, () => state.nowMs);
  const of = (signingKeyId: string | null) => read({ signature: signingKeyId && 'c2ln', signingKeyId } as ServedPacket);
  return { state, of };
}

test('a key newer than the cached list is found immediately', async () => {
  const { state, of } = reading([keyOf('key_1')]);
  expect(await of('key_1')).toMatchObject({ public_key: Buffer.from('key_1').toString('base64') });
  state.keys = [keyOf('key_1', 2_000), keyOf('key_2')];
  expect(await of('key_2')).toMatchObject({ public_key: Buffer.from('key_2').toString('base64') });
});

test('the end of a key shows within 5 s, with one read of the keys in that time', async () => {
  const { state, of } = reading([keyOf('key_1')]);
  await of('key_1');
  state.keys = [keyOf('key_1', 2_000)];
  state.nowMs = 4_999;
  expect(await of('key_1')).toMatchObject({ key_valid_to_utc: null });
  expect(state.calls).toBe(1);
  state.nowMs = 5_000;
  expect(await of('key_1')).toMatchObject({ key_valid_to_utc: '1970-01-01T00:00:02.000Z' });
});

test('a packet without a signature has none, and no call is made', async () => {
  const { state, of } = reading([]);
  expect([await of(null), state.calls]).toEqual([null, 0]);
});
