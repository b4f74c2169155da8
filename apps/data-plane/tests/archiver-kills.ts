import { truncate } from 'node:fs/promises';
import type { ObjectStore } from '@market-state/archive';
import { CHANNELS } from '@market-state/market-data';
import { type ArchiveBench, startArchiveBench } from './archive-fixture';
import { archiveFiles, entriesOf, ONE, recordOverMidnight } from './recorded-midnights';

let kills = 0;
let running = new AbortController();

/** Thrown at the simulated kill. */
class Killed extends Error {
  constructor() {
    super('killed');
    kills += 1;
    running.abort();
  }
}

/** Puts the n-th file, damages it, then simulates a kill. */
function killedAfterPut(store: ObjectStore, at: number, damage: (path: string) => Promise<void>): ObjectStore {
  async function putAndEnd(key: string, file: string): Promise<never> {
    await store.put(key, file);
    await damage(await store.get(key));
    throw new Killed();
  }
  return { ...store, put: onCall(at, putAndEnd, store.put) };
}

const killPoints: readonly (readonly [string, (store: ObjectStore, at: number) => ObjectStore])[] = [
  [
    'before a file is put',
    (store, at) => ({ ...store, put: onCall(at, (_key: string, _file: string) => Promise.reject(new Killed()), store.put) }),
  ],
  ['when half of a file stands in its place', (store, at) => killedAfterPut(store, at, (path) => truncate(path, 300))],
  ['after a file was put', (store, at) => killedAfterPut(store, at, () => Promise.resolve())],
  [
    'while a file is read back',
    (store, at) => ({ ...store, get: onCall(at, (_key: string) => Promise.reject<string>(new Killed()), store.get) }),
  ],
];

/** Runs `fault` on the n-th call and `usual` otherwise. */
function onCall<Args extends unknown[], Result>(
  at: number,
  fault: (...args: Args) => Promise<Result>,
  usual: (...args: Args) => Promise<Result>,
): (...args: Args) => Promise<Result> {
  let calls = 0;
  return (...args) => {
    calls += 1;
    return calls === at ? fault(...args) : usual(...args);
  };
}

/** Kills an archiver at each of these points; default: all. */
export function testArchiverKills(points = killPoints.map(([point]) => point)): void {
  let bench: ArchiveBench;
  beforeAll(async () => {
    bench = await startArchiveBench(ONE);
  });
  afterAll(() => bench.close());

  test.each(killPoints.filter(([point]) => points.includes(point)))(
    'an archiver that is killed %s, at every file of an hour, loses and doubles nothing',
    async (_, fault) => {
      await bench.reset();
      const logs = await recordOverMidnight(bench, 60_000, ONE);
      kills = 0;
      for (let at = 1; at <= 8; at += 1) {
        running = new AbortController();
        await bench.archive(fault(bench.store, at), new Map(), running.signal);
      }
      expect(kills).toBeGreaterThanOrEqual(3);
      await bench.archive();
      expect(await bench.store.list('')).toHaveLength(CHANNELS.length * 2);
      expect(await archiveFiles(bench)).toHaveLength(CHANNELS.length);
      await bench.retain(0, 30, bench.store, ONE);
      for (const symbol of ONE) expect(await entriesOf(bench, symbol)).toEqual(logs.get(symbol));
    },
  );
}
