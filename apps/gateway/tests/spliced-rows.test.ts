import { storedRow, toRowWithoutPacket } from '../src/caches/latest/render-latest';
import { fromProtoPacket } from '../src/clients/packet-client';
import { packetRecord } from './stand-in/packet-record';

const record = packetRecord('BTCUSD-PERP', 1_700_000_000_000);
const held = fromProtoPacket(record);

test('a row made of the stored bytes of its packet is the text that the parsed packet gives', () => {
  const row = storedRow(record, ['state_label']);
  expect(row.withPacket().toString()).toBe(JSON.stringify({ ...toRowWithoutPacket(held), packet: held.packet }));
  expect(row.withFields({ match: 'é' }).toString()).toBe(JSON.stringify({ ...toRowWithoutPacket(held), match: 'é' }));
  expect(row.member('state_label')).toBe(held.packet.state_label);
});

test('a body that is not a packet is refused', () => {
  for (const body of ['', 'null', '[]', '{"state":"calm"}', record.body.toString().slice(0, 900)])
    expect(() => storedRow({ ...record, body: Buffer.from(body) })).toThrow(
      expect.objectContaining({ code: 'INTERNAL', detail: expect.stringContaining('JSON lacks') }) as Error,
    );
});
