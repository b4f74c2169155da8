import type { account } from '@market-state/contracts';
import { type Closable, delay, runUntilClosed } from '@market-state/lifecycle';
import type { GrpcClient } from '@market-state/grpc';
import type { Logger } from '@market-state/logging';

/** The last uses of keys are told to account this often, milliseconds. */
const TELL_EVERY_MS = 15_000;
/** Uses that one call takes. */
const USES_MAX = 1_000;

/** When keys were last used here. */
export interface KeyUses extends Closable {
  /** Notes a use now; told to account within 15 s. */
  note(keyId: string): void;
}

export interface KeyUsesDeps {
  readonly keys: { readonly call: Pick<GrpcClient<account.KeyServiceService>['call'], 'noteKeyUses'> };
  readonly logger: Logger;
  /** Wall clock, milliseconds since the epoch. */
  readonly now: () => number;
  readonly tellEveryMs?: number;
}

/** Tells account when keys that it is not asked about were last used, once more when closed. Uses that it could not take are told again. */
export function createKeyUses({ keys, logger, now, tellEveryMs = TELL_EVERY_MS }: KeyUsesDeps): KeyUses {
  let uses = new Map<string, number>();

  async function tell(): Promise<void> {
    const taken = [...uses].map(([keyId, usedTsMs]) => ({ keyId, usedTsMs }));
    uses = new Map();
    for (let from = 0; from < taken.length; from += USES_MAX) {
      const part = taken.slice(from, from + USES_MAX);
      await keys.call.noteKeyUses({ uses: part }).catch((error: unknown) => {
        logger.warn({ err: error }, 'last uses of keys not told yet');
        for (const { keyId, usedTsMs } of part) if (!uses.has(keyId)) uses.set(keyId, usedTsMs);
      });
    }
  }

  const telling = runUntilClosed(async (signal) => {
    while (!signal.aborted) {
      await delay(tellEveryMs, signal).catch(() => undefined);
      await tell();
    }
  });

  return {
    note: (keyId) => void uses.set(keyId, now()),
    close: () => telling.close(),
  };
}
