import { failedPrecondition, unavailable } from '@market-state/errors';
import { Registry } from 'prom-client';
import type { StoredPacket, PacketSpan } from '../packets/packet';
import { createSelfChecks } from './self-check';
import type { Comparison, Verification } from './verification';

const NOW_MS = Date.UTC(2026, 0, 6, 12);
const [BTC, ETH] = ['BTCUSD-PERP', 'ETHUSD-PERP'] as const;
const MATCH: Comparison = { outcome: 'match' };
const MISMATCH: Comparison = { outcome: 'mismatch', rederived: null, fields: ['packet_digest'], places: ['/state'], placeTotal: 1 };
const CANNOT: Comparison = { outcome: 'cannot', reason: 'rows_awaited' };

/** Self-checks over two hours of packets of BTC, by a clock, random numbers and outcomes that the test sets. */
function checking(symbols: readonly string[] = [BTC]) {
  const next = { nowMs: NOW_MS, random: 0, comparison: MATCH as Comparison | Error };
  const lines: object[] = [];
  const verified: string[] = [];
  const registry = new Registry();
  const { signal } = new AbortController();
  const ends = Array.from({ length: 721 }, (_end, index) => NOW_MS - 7_200_000 + index * 10_000);
  const checks = createSelfChecks(symbols, {
    reader: {
      async list({ symbol, fromMs, toMs }: PacketSpan, count) {
        const found = ends.filter((endMs) => endMs >= (fromMs ?? 0) && endMs < (toMs ?? Infinity)).slice(0, count);
        return symbol === BTC ? found.map((windowEndMs) => ({ symbol, windowEndMs, eventId: `event-${windowEndMs}` }) as StoredPacket) : [];
      },
    },
    async verify({ symbol, windowEndMs }) {
      verified.push(`${symbol} ${(windowEndMs - NOW_MS) / 1_000}`);
      if (next.comparison instanceof Error) throw next.comparison;
      return { comparison: next.comparison } as Verification;
    },
    clock: () => next.nowMs,
    random: () => next.random,
    logger: { error: (line: object) => void lines.push(line) },
    registry,
  });
  const run = async (comparison: Comparison | Error = MATCH, random = 0, nowMs = next.nowMs + 1_000): Promise<void> => {
    Object.assign(next, { comparison, random, nowMs });
    await checks.runNext(signal);
  };
  return { checks, run, verified, lines, registry };
}

/** Seconds between the end of the checked window and NOW_MS, and the outcome, of each standing check. */
function standing({ checks }: ReturnType<typeof checking>, asOfMs: number | null = null): [number, string][] {
  return checks.list(asOfMs).map(({ windowEndMs, comparison }) => [(windowEndMs - NOW_MS) / 1_000, comparison.outcome]);
}

test('a round verifies one packet of the last hour but its newest minute, and random numbers reach all of them', async () => {
  const self = checking();
  for (let run = 0; run < 1_000; run += 1) await self.run(MATCH, run / 1_000, NOW_MS);
  const ages = self.verified.map((text) => -Number(text.split(' ')[1]));
  expect([ages[0], ages.at(-1), new Set(ages).size]).toEqual([3_600, 60, 355]);
});

test('rounds take symbols in rotation, and a symbol without packets is passed over', async () => {
  const self = checking([ETH, BTC]);
  for (let round = 0; round < 4; round += 1) await self.run();
  expect(self.verified).toEqual([`${BTC} -3590`, `${BTC} -3590`]);
});

test('a mismatch stands until a packet of its window or of a later one matches', async () => {
  const self = checking();
  await self.run(MISMATCH, 0.5);
  const found = [-1_820, 'mismatch'];
  expect(standing(self)).toEqual([found]);
  await self.run(MATCH, 0.4);
  await self.run(CANNOT, 0.6);
  await self.run(MISMATCH, 0.3);
  expect(standing(self)).toEqual([found]);
  await self.run(MATCH, 0.6);
  expect(standing(self)).toEqual([[-1_470, 'match']]);
  await self.run(CANNOT, 0);
  expect(standing(self)).toEqual([[-3_590, 'cannot']]);
});

test('a mismatch is counted and logged with the event and its fields', async () => {
  const self = checking();
  const count = async (outcome: string) =>
    /\} (\d+)/.exec((await self.registry.metrics()).split('\n').find((line) => line.includes(`outcome="${outcome}"`)) ?? '')?.[1];
  expect([await count('match'), await count('mismatch'), await count('cannot')]).toEqual(['0', '0', '0']);
  await self.run(MATCH);
  await self.run(MISMATCH);
  await self.run(CANNOT);
  expect([await count('match'), await count('mismatch'), await count('cannot')]).toEqual(['1', '1', '1']);
  const windowEndMs = NOW_MS - 3_590_000;
  expect(self.lines).toEqual([
    {
      symbol: BTC,
      event_id: `event-${windowEndMs}`,
      window_end_ms: windowEndMs,
      different_fields: ['packet_digest'],
      different_places: ['/state'],
    },
  ]);
});

test.each([
  ['verification is overloaded', unavailable('overloaded', 'Too many.')],
  ['no data plane is set', failedPrecondition('upstream_unavailable', 'Not connected.')],
  ['the data plane is away', unavailable('upstream_unavailable', 'Away.')],
])('a round is skipped while %s', async (_name, error) => {
  const self = checking();
  await self.run(error);
  expect([self.verified.length, standing(self)]).toEqual([1, []]);
});

test('any other failure is reported by the round', async () => {
  const self = checking();
  await expect(self.run(new Error('no database'))).rejects.toThrow('no database');
});

test('a past state counts only checks made until that time, and a mismatch outlives the retained checks', async () => {
  const self = checking();
  await self.run(MISMATCH, 0.99);
  for (let round = 0; round < 60; round += 1) await self.run(MATCH);
  expect(standing(self)).toEqual([[-90, 'mismatch']]);
  await self.run(MATCH, 0.999);
  const clearedMs = NOW_MS + 62_000;
  expect([standing(self, clearedMs - 1), standing(self, clearedMs)]).toEqual([[[-90, 'mismatch']], [[0, 'match']]]);
  expect(standing(self, NOW_MS)).toEqual([]);
});
