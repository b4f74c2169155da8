import { gunzipSync } from 'node:zlib';
import { join } from 'node:path';
import { makePortalSample } from './portal-sample-main';

const BUNDLE_BYTES_MAX = 400_000;

it('is reproducible, small enough for a page, and ends where pressure begins to build', () => {
  const root = join(import.meta.dirname, '..', '..');
  const [sample, again] = [makePortalSample(root), makePortalSample(root)];
  expect(Buffer.compare(again.bundle, sample.bundle)).toBe(0);
  expect([again.policy, again.summary]).toEqual([sample.policy, sample.summary]);
  expect(sample.bundle.length).toBeLessThanOrEqual(BUNDLE_BYTES_MAX);
  const lines = gunzipSync(sample.bundle).toString('utf8').trimEnd().split('\n');
  const packets = lines.flatMap((line) => (JSON.parse(line) as { readonly packet?: { readonly state: string } }).packet ?? []);
  expect([packets.length, packets.at(-2)?.state, packets.at(-1)?.state]).toEqual([27, 'market_state_watch', 'pressure_building']);
  const entryTotal = lines.filter((line) => line.includes('"ordinal":') && line.includes('"kind":')).length;
  expect(JSON.parse(sample.summary)).toEqual({ packet_total: 27, entry_total: entryTotal, packet: packets.at(-1) });
});
