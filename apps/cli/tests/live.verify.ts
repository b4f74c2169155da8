import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createWorkplace } from './run';
import { expectMarked, recordSimulated } from './simulated-recording';

const place = createWorkplace();
afterAll(() => place.remove());

test('a recording of the simulated venue stays simulated: in the log, with the liquidations that the venue had, in packets and in the report', async () => {
  const file = await recordSimulated(place, 13);
  await expectMarked(place, file);
  const packets = (await place.run('label', file)).lines.map((line) => JSON.parse(line) as { source_kind: string });
  expect(packets.length).toBeGreaterThan(0);
  expect(new Set(packets.map(({ source_kind: kind }) => kind))).toEqual(new Set(['simulated']));
  expect((await place.run('report', file, '--out', 'marked.html')).exitCode).toBe(0);
  expect(readFileSync(join(place.folder, 'marked.html'), 'utf8')).toContain('<span class="kind simulated">');
});
