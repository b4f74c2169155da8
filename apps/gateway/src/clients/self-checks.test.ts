import { labeling } from '@market-state/contracts';
import { ServiceError, unavailable } from '@market-state/errors';
import type { PacketClient } from './packet-client';
import { createSelfChecks, delayedSelfChecks } from './self-checks';

const { MATCH, MISMATCH } = labeling.VerifyEventResponse_Outcome;
const [BTC, ETH] = ['BTCUSD-PERP', 'ETHUSD-PERP'] as const;

function check(symbol: string, checkedTsMs: number, outcome = MATCH): labeling.SelfCheck {
  return { symbol, checkedTsMs, outcome, eventId: '', windowEndMs: checkedTsMs - 60_000, reason: '' };
}

/** Self-checks over processes with these answers or failures; `requested` collects the instants of their calls. */
function over(...processes: (labeling.SelfCheck[] | ServiceError)[]) {
  const requested: number[] = [];
  const selfChecks = createSelfChecks({
    addresses: processes.map((_process, index) => `127.0.0.1:${index + 1}`),
    open(address) {
      const answer = processes[Number(address.split(':')[1]) - 1] ?? [];
      async function listSelfChecks({ asOfMs }: labeling.ListSelfChecksRequest): Promise<labeling.ListSelfChecksResponse> {
        requested.push(asOfMs);
        if (answer instanceof ServiceError) throw answer;
        return { selfChecks: answer };
      }
      return { call: { listSelfChecks }, close: () => Promise.resolve() } as unknown as PacketClient;
    },
  });
  return { selfChecks, requested };
}

const AWAY = unavailable('upstream_unavailable', 'Away.');

test.each([
  ['of several processes are joined', [[check(BTC, 2)], [check(ETH, 1)]], [check(BTC, 2), check(ETH, 1)]],
  ['of one symbol at two processes: the newest counts', [[check(BTC, 2)], [check(BTC, 1)]], [check(BTC, 2)]],
  ['of one symbol at two processes: a mismatch counts', [[check(BTC, 1, MISMATCH)], [check(BTC, 2)]], [check(BTC, 1, MISMATCH)]],
  ['of a process that is away are missing', [AWAY, [check(ETH, 1)]], [check(ETH, 1)]],
  ['are empty before the first', [[], []], []],
])('checks %s', async (_name, processes, current) => {
  const { selfChecks } = over(...processes);
  expect(await selfChecks.current(0)).toEqual(new Map(current.map((each) => [each.symbol, each])));
});

test('fail while no process answers, or none is found', async () => {
  await expect(over(AWAY, AWAY).selfChecks.current(0)).rejects.toBe(AWAY);
  await expect(over().selfChecks.current(0)).rejects.toMatchObject({ code: 'UNAVAILABLE' });
});

test('by a delayed clock are as of it or earlier', async () => {
  const { selfChecks, requested } = over([]);
  const delayed = delayedSelfChecks(selfChecks, () => 100);
  for (const asOfMs of [0, 50, 200]) await delayed.current(asOfMs);
  expect(requested).toEqual([100, 50, 100]);
});
