import { join } from 'node:path';
import { readPacketRow } from '@market-state/labeler';
import { withRecordings } from '@market-state/testing';
import { createWorkplace } from './run';

const place = createWorkplace();
afterAll(() => place.remove());

withRecordings('hyperliquid/collector', (folder) => {
  const files = ['orderbooks', 'prices', 'trades'].map((kind) => join(folder, `20250903_${kind}_BTC.csv.gz`));

  test('a gap of 250 s is retained context from the first to the last window without a fresh book, with no delay at either end', async () => {
    const packets = (await place.run('label', ...files)).lines.map((line) => readPacketRow(JSON.parse(line)).packet);
    const read = packets
      .filter(({ ts }) => ts >= '2025-09-03T12:57:30' && ts < '2025-09-03T13:01:50')
      .map(({ state, event_class: eventClass }) => (eventClass === 'retained_context_only' ? state : 'current'));
    // After 60 s the trades are stale too: of five families only three are partial, a support of 0.3.
    const stale = [...Array<string>(5).fill('replay_context_ready'), ...Array<string>(19).fill('insufficient_evidence')];
    expect(read).toEqual(['current', ...stale, 'current']);
  });
});
