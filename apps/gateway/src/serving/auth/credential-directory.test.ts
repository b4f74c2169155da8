import type { account } from '@market-state/contracts';
import { silentLogger } from '@market-state/logging';
import { createKeyUses } from './credential-directory';

type Noted = account.NoteKeyUsesRequest['uses'];

function setUp(reportEveryMs: number) {
  const clock = { nowMs: 1_000 };
  let reported: (uses: Noted) => void = () => undefined;
  let fails = false;
  const all: Noted[] = [];
  const uses = createKeyUses({
    keys: {
      call: {
        async noteKeyUses({ uses: sent }: account.NoteKeyUsesRequest) {
          if (fails) {
            reported([]);
            throw new Error('account is away');
          }
          all.push(sent);
          reported(sent);
          return {};
        },
      },
    },
    logger: silentLogger(),
    now: () => clock.nowMs,
    reportEveryMs,
  });
  return {
    uses,
    clock,
    all,
    setFails: (next: boolean) => void (fails = next),
    next: () => new Promise<Noted>((resolve) => (reported = resolve)),
  };
}

describe('the last uses of keys', () => {
  it('are reported once per key, with the time of the last', async () => {
    const { uses, clock, next } = setUp(5);
    const reported = next();
    uses.note('key_1');
    clock.nowMs = 2_000;
    uses.note('key_2');
    uses.note('key_1');
    expect(await reported).toEqual([
      { keyId: 'key_1', usedTsMs: 2_000 },
      { keyId: 'key_2', usedTsMs: 2_000 },
    ]);
    await uses.close();
  });

  it('are reported again after account was down, unless there is a later one', async () => {
    const { uses, clock, setFails, next } = setUp(5);
    setFails(true);
    const failed = next();
    uses.note('key_1');
    uses.note('key_2');
    await failed;
    clock.nowMs = 2_000;
    uses.note('key_2');
    const reported = next();
    setFails(false);
    expect(new Map((await reported).map(({ keyId, usedTsMs }) => [keyId, usedTsMs]))).toEqual(
      new Map([
        ['key_1', 1_000],
        ['key_2', 2_000],
      ]),
    );
    await uses.close();
  });

  it('are reported when the gateway closes, a thousand per call', async () => {
    const { uses, all } = setUp(60_000);
    for (let key = 0; key < 1_001; key += 1) uses.note(`key_${key}`);
    await uses.close();
    expect(all.map((sent) => sent.length)).toEqual([1_000, 1]);
  });
});
