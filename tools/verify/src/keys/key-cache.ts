import type { account } from '@market-state/contracts';
import { keyDigest, parseKey } from '@market-state/credentials';
import type { HostedAccount } from '../harness';

/** Opens doors as a gateway does: shape and checksum before any call, and what was granted remembered until the watch tells otherwise. */
export interface KeyCache {
  opens(key: string): Promise<boolean>;
  /** Calls to account. */
  readonly asked: () => number;
  close(): Promise<void>;
}

/** Resolves when its watch is open. */
export async function createKeyCache(keys: HostedAccount['keys']): Promise<KeyCache> {
  const good = new Set<string>();
  const caller = new AbortController();
  const messages = keys.watchKeys({}, { signal: caller.signal })[Symbol.asyncIterator]();
  let asked = 0;
  let changes = 0;
  await messages.next();

  async function follow(): Promise<void> {
    for (;;) {
      const next: IteratorResult<account.WatchKeysResponse> = await messages.next();
      if (next.done === true) return;
      if (next.value.message?.$case !== 'changed') continue;
      changes += 1;
      good.delete(next.value.message.value.keyDigest.toString('hex'));
    }
  }
  const following = follow().catch(() => good.clear());

  return {
    asked: () => asked,
    async opens(key) {
      if (parseKey(key) === null) return false;
      const digest = keyDigest(key);
      if (good.has(digest.toString('hex'))) return true;
      const changesBefore = changes;
      asked += 1;
      const { grant } = await keys.verifyKey({ keyDigest: digest });
      // An answer from before a change that was heard meanwhile is not remembered.
      if (grant !== undefined && changes === changesBefore) good.add(digest.toString('hex'));
      return grant !== undefined;
    },
    async close() {
      caller.abort();
      await following;
    },
  };
}
