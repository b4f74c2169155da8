import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { silentLogger } from '@market-state/logging';
import { startSimulatedVenue } from '@market-state/simulated-venue';
import { waitUntil } from '@market-state/testing';
import type { Workplace } from './run';

/** The only recording in a folder. */
export function recorded(place: Workplace, folder: string): string {
  const [name = '', ...others] = readdirSync(join(place.folder, folder));
  expect(others).toEqual([]);
  return join(folder, name);
}

/** Records a simulated venue that generates ten minutes of market immediately. Returns the file. */
export async function recordSimulated(place: Workplace, seconds: number): Promise<string> {
  const market = await startSimulatedVenue({
    address: '127.0.0.1:0',
    seed: 3,
    startMs: (Math.floor(Date.now() / 10_000) - 60) * 10_000,
    logger: silentLogger(),
    scenario: 'calm',
  });
  const recording = place.run('record', '--venue', 'simulated', '--url', market.restUrl, '--out', 'marked', '--seconds', String(seconds));
  await waitUntil(
    'a recording',
    () => readdirSync(place.folder).includes('marked') && readdirSync(join(place.folder, 'marked')).length > 0,
  );
  const playing = setInterval(() => market.advanceTo(Date.now()), 250);
  expect((await recording).exitCode).toBe(0);
  clearInterval(playing);
  await market.close();
  return recorded(place, 'marked');
}

/** Expects a log marked as simulated, with the venue's liquidations. */
export async function expectMarked(place: Workplace, file: string): Promise<void> {
  const frames = gunzipSync(readFileSync(join(place.folder, file))).toString();
  expect(frames).toMatch(/^\d{19} \{"channel":"subscriptionResponse",[^\n]*"type":"simLiquidations"/);
  const entries = (await place.run('rows', file)).lines.map((line) => JSON.parse(line) as { kind: string; venue: string });
  expect(new Set(entries.map(({ venue: name }) => name))).toEqual(new Set(['simulated']));
  expect(entries[0]).toMatchObject({ status: { type: 'connected', source_kind: 'simulated' } });
  const ids = new Set(
    Array.from(frames.matchAll(/"channel":"simLiquidations","data":\[([^\n]*)\]/g)).flatMap(([, rows = '']) =>
      Array.from(rows.matchAll(/"id":(\d+)/g), ([, id]) => id),
    ),
  );
  expect(ids.size).toBeGreaterThan(0);
  expect(entries.filter(({ kind }) => kind === 'liquidation')).toHaveLength(ids.size);
}
