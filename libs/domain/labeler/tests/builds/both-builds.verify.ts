import { chainOf } from '../label-log';
import { RECORDED_SYMBOLS, recordingEvents } from '../recording-events';
import { recordingPackets } from '../recording-packets';
import { browserBuild } from './browser-build';

it.each(RECORDED_SYMBOLS)('the build for browsers makes every packet of the recording of %s, byte for byte', async (symbol) => {
  const { createState, loadPolicy, reduce } = (await browserBuild()).labeler;
  const state = createState(symbol, loadPolicy());
  const made = recordingEvents(symbol).flatMap((event) => reduce(state, event));
  const packets = recordingPackets(symbol);
  expect(chainOf(made)).toEqual(chainOf(packets));
  expect(made.map(({ body }) => body)).toEqual(packets.map(({ body }) => body));
});
