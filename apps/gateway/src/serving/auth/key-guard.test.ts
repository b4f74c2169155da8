import { unavailable } from '@market-state/errors';
import { silentLogger } from '@market-state/logging';
import { limitsOf } from '@market-state/pricing';
import { type Grant, type CredentialChange, digestHex } from './credentials';
import { createKeyGuard, type KeyLoss } from './key-guard';

const KEY = 'msk_live_some_key';
const GRANT: Grant = {
  kind: 'key',
  keyId: 'key_1',
  accountId: null,
  tenantId: 'ten_1',
  sandbox: false,
  scopes: new Set(['read', 'export']),
  role: null,
  plan: { planId: 'public_pro', perSecond: 50, burst: 200, limits: limitsOf('public_pro'), paying: true },
  hasCeiling: false,
  ownRate: null,
  expiresMs: Number.POSITIVE_INFINITY,
};

function setUp() {
  let answer: () => Promise<Grant | null> = async () => GRANT;
  let nowMs = 0;
  let report: (change: CredentialChange) => void = () => undefined;
  let requested = 0;
  const guard = createKeyGuard({
    directory: {
      verify: () => {
        requested += 1;
        return answer();
      },
      onChange: (listener) => {
        report = listener;
        return () => undefined;
      },
    },
    logger: silentLogger(),
    monotonicMs: () => nowMs,
    unknownMsMax: 5_000,
  });
  return {
    guard,
    setAnswer: (next: () => Promise<Grant | null>) => void (answer = next),
    requested: () => requested,
    async change(digest: string | null, atMs = 0): Promise<void> {
      nowMs = atMs;
      report(digest === null ? { kind: 'all' } : { kind: 'key', digestHex: digest });
      await new Promise((resolve) => setImmediate(resolve));
    },
  };
}

describe('the guard of keys in use', () => {
  it('notifies every user of a revoked key once, and no user of another', async () => {
    const { guard, setAnswer, change } = setUp();
    const reported: string[] = [];
    const watch = (key: string, name: string) =>
      guard.watch({ kind: 'key', secret: key }, 'read', (loss) => reported.push(`${name} ${loss}`));
    watch(KEY, 'a');
    watch(KEY, 'b');
    watch('msk_live_other', 'c');
    setAnswer(async () => null);
    await change(digestHex(KEY));
    await change(digestHex(KEY));
    guard.close();
    expect(reported).toEqual(['a revoked', 'b revoked']);
  });

  it('notifies the users of a scope that a key has lost', async () => {
    const { guard, setAnswer, change } = setUp();
    const reported: KeyLoss[] = [];
    guard.watch({ kind: 'key', secret: KEY }, 'export', (loss) => reported.push(loss));
    guard.watch({ kind: 'key', secret: KEY }, 'read', () => {
      throw new Error('read was not lost');
    });
    setAnswer(async () => ({ ...GRANT, scopes: new Set(['read']) }));
    await change(digestHex(KEY));
    guard.close();
    expect(reported).toEqual(['revoked']);
  });

  it('checks every key in use when any may have changed, and no unused key', async () => {
    const { guard, requested, change } = setUp();
    const stop = guard.watch({ kind: 'key', secret: KEY }, 'read', () => undefined);
    guard.watch({ kind: 'key', secret: 'msk_live_other' }, 'read', () => undefined);
    await change(null);
    expect(requested()).toBe(2);
    stop();
    await change(null);
    guard.close();
    expect(requested()).toBe(3);
  });

  it('gives up a key of which account cannot say for five seconds whether it counts', async () => {
    const { guard, setAnswer, change } = setUp();
    const reported: KeyLoss[] = [];
    guard.watch({ kind: 'key', secret: KEY }, 'read', (loss) => reported.push(loss));
    setAnswer(() => Promise.reject(unavailable('upstream_unavailable', 'The store cannot be reached.')));
    await change(null, 5_000);
    expect(reported).toEqual([]);
    await change(null, 5_001);
    guard.close();
    expect(reported).toEqual(['unknown']);
  });
});
