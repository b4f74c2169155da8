import { labeling } from '@market-state/contracts';
import { type BootedGateway, bootGateway, lastWindowEndMs } from './stand-in/boot';

const PROOF = '/api/public/market-state/status/proof';
const PREVIEW = '/api/public/market-state/demo/proof';

describe('packets that labeling has made again by itself', () => {
  const [BTC, ETH] = ['BTCUSD-PERP', 'ETHUSD-PERP'] as const;
  const { MATCH, MISMATCH, CANNOT } = labeling.VerifyEventResponse_Outcome;
  const bootMs = Date.now();
  const lastMs = lastWindowEndMs(bootMs);
  let nowMs = bootMs;
  let booted: BootedGateway;
  beforeAll(async () => {
    booted = await bootGateway({ shards: [[BTC], [ETH]], now: () => nowMs });
  });
  afterAll(() => booted.close());

  const selfCheck = (symbol: string, outcome: labeling.VerifyEventResponse_Outcome, agoMs: number, reason = ''): labeling.SelfCheck => ({
    symbol,
    eventId: `event-${symbol}`,
    windowEndMs: lastMs - agoMs - 60_000,
    checkedTsMs: lastMs - agoMs,
    outcome,
    reason,
  });
  /** Proof of derivation after each process has made these checks; answers are recomputed after a minute. */
  async function derivationOf(path: string, ...checks: labeling.SelfCheck[][]) {
    for (const [at, shard] of booted.shards.entries()) shard.setSelfChecks(checks[at] ?? []);
    nowMs += 60_000;
    const body = (await booted.keyed(path)).json<{ proofs: { proof_id: string; symbols: { symbol: string }[] }[] }>();
    const { symbols = [], ...proof } = body.proofs.find(({ proof_id: id }) => id === 'packet_derivation') ?? {};
    return { ...proof, of: Object.fromEntries(symbols.map(({ symbol, ...finding }) => [symbol, finding])) };
  }
  const utc = (ms: number): string => new Date(ms).toISOString();

  it('passes where they are the same, says so of every process, and names symbols without a check', async () => {
    const none = await derivationOf(PROOF);
    expect(none).toMatchObject({ check_state: 'not_checked', checked_at_utc: null, of: { [BTC]: { check_state: 'not_checked' } } });
    const one = await derivationOf(PROOF, [selfCheck(BTC, MATCH, 20_000)], [selfCheck(ETH, CANNOT, 10_000, 'rows_gone')]);
    expect(one).toMatchObject({
      check_state: 'passed',
      checked_at_utc: utc(lastMs - 20_000),
      detail: expect.stringMatching(/^Holds for BTCUSD-PERP\. /),
      of: {
        [BTC]: { check_state: 'passed', checked_total: 1, checked_to_utc: utc(lastMs - 80_000) },
        [ETH]: { check_state: 'not_checked', checked_to_utc: null, detail: expect.stringContaining('rows_gone') },
      },
    });
    const both = await derivationOf(PROOF, [selfCheck(BTC, MATCH, 20_000)], [selfCheck(ETH, MATCH, 10_000)]);
    expect(both).toMatchObject({ check_state: 'passed', checked_at_utc: utc(lastMs - 10_000) });
  });

  it('fails and names the symbol where one differs, until a later check passes', async () => {
    const failed = await derivationOf(PROOF, [selfCheck(BTC, MATCH, 20_000)], [selfCheck(ETH, MISMATCH, 10_000)]);
    expect(failed).toMatchObject({
      check_state: 'failed',
      detail: expect.stringMatching(/^Does not hold for ETHUSD-PERP\. /),
      of: {
        [BTC]: { check_state: 'passed' },
        [ETH]: { check_state: 'failed', checked_total: 1, checked_from_utc: utc(lastMs - 70_000) },
      },
    });
    const cleared = await derivationOf(PROOF, [selfCheck(BTC, MATCH, 20_000)], [selfCheck(ETH, MATCH, 0)]);
    expect(cleared).toMatchObject({ check_state: 'passed', of: { [ETH]: { check_state: 'passed' } } });
  });

  it('shows in its preview only checks made 600 s ago', async () => {
    nowMs = bootMs;
    const young = await derivationOf(PREVIEW, [selfCheck(BTC, MISMATCH, 500_000)], [selfCheck(ETH, MATCH, 700_000)]);
    expect(young).toMatchObject({
      check_state: 'passed',
      of: { [BTC]: { checked_total: 0 }, [ETH]: { checked_total: 1 } },
    });
    const old = await derivationOf(PREVIEW, [selfCheck(BTC, MISMATCH, 500_000)], [selfCheck(ETH, MATCH, 700_000)]);
    expect(old).toMatchObject({ check_state: 'failed' });
  });
});
