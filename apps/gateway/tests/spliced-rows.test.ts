import { rowBytes, toRowWithoutPacket } from '../src/boards/render-latest';
import { fromProtoPacket } from '../src/clients/served-packet';
import { packetRecord } from './stand-in/packet-record';

test('a row with the stored bytes of its packet is the text that the parsed packet gives', () => {
  const record = packetRecord('BTCUSD-PERP', 1_700_000_000_000);
  const held = fromProtoPacket(record);
  expect(rowBytes(held, record.body).toString()).toBe(JSON.stringify({ ...toRowWithoutPacket(held), packet: held.packet }));
});
