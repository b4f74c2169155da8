import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { workspaceRoot } from '@market-state/launcher';
import { MEASURED_FILE, PAGE_FILE } from './capacity';
import { measuredShape } from './measurements';
import { ceilings, perDeliveries, perReads, perSymbol, capacityPage } from './page';

const measured = measuredShape.parse(JSON.parse(readFileSync(join(workspaceRoot(), MEASURED_FILE), 'utf8')));

/** Round values, so that results are easy to check. */
const round = measuredShape.parse({
  ...measured,
  entriesPerSecond: 10,
  rowsPerSecond: 10,
  redisBytesAnEntry: 500,
  payloadBytesARow: 400,
  diskFactor: 2,
  archiveBytesAnHour: 1e6,
  packetBytes: 4_000,
  eventIndexBytes: 1_000,
  checkpointBytes: 100_000,
  latest: { cpuUs: 60, bytes: 40_000 },
  posts: { perSecond: 10, cpuMs: 2 },
  label: { packetMs: 5, eventUs: 50 },
  resting: { feed: 0.1, recorder: 0.1, labeling: 0.05, dataPlane: 0.05, evaluator: 0.05, gateway: 0.05, redis: 0.05, postgres: 0.05 },
  webhooks: { perSecond: 200, cpuMs: 4, rowBytes: 2_000 },
});

test('the page is exactly the template filled with the measured values', () => {
  expect(readFileSync(join(workspaceRoot(), PAGE_FILE), 'utf8')).toBe(capacityPage(measured));
});

test('another machine’s values change numbers on the page, and no words', () => {
  const words = (text: string): string => text.replace(/\d[\d,.]*(?:e[+-]\d+)?/g, '#').replace(measured.machine.processor, 'a processor');
  expect(words(capacityPage(round))).toBe(words(capacityPage(measured)));
  expect(capacityPage(round)).not.toBe(capacityPage(measured));
});

test('the formulas match calculations by hand', () => {
  expect(perSymbol(round)).toEqual({
    redisGb: expect.closeTo(0.0225, 9),
    rowsGbADay: expect.closeTo(0.6912, 9),
    hotRowsGb: expect.closeTo(2.7648, 9),
    packetsGbADay: expect.closeTo(0.0528, 9),
    archiveGbADay: expect.closeTo(0.024, 9),
    labelerShare: expect.closeTo(0.001, 9),
    restingShare: expect.closeTo(0.5, 9),
    labelingCores: expect.closeTo(0.1, 9),
  });
  expect(perReads(round, 100_000)).toEqual({ cores: expect.closeTo(10, 9), gbPerSecond: expect.closeTo(4, 9) });
  expect(perDeliveries(round, 201)).toEqual({ processes: 2, rowsGbADay: expect.closeTo(34.7328, 9) });
  expect(ceilings(round)).toMatchObject({
    postsPerSecond: 500,
    gateways: 50,
    labelingSymbols: 10,
    redisSymbols: 20,
    redisEntriesPerSecond: 200,
  });
});
