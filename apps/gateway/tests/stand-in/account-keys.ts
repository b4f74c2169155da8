import { account } from '@market-state/contracts';
import { keyDigest } from '@market-state/credentials';
import { notFound } from '@market-state/errors';
import { bindService } from '@market-state/grpc';
import type { StandInCredits } from './account-credits';
import type { AccountState, StoredKey } from './account-state';

export interface KeysOfStandIn {
  readonly state: AccountState;
  readonly credits: Pick<StandInCredits, 'setCeiling' | 'ceilingOf'>;
  readonly refuseWhenDown: () => void;
  readonly onVerify: () => void;
  /** Delays look-ups on demand. */
  readonly whenHeld: (isUnknown: boolean, signal: AbortSignal) => Promise<void>;
  readonly isSilent: () => boolean;
  readonly heartbeat: () => account.WatchKeysResponse;
}

/** In-memory KeyService. */
export function standInKeys({ state, credits, refuseWhenDown, onVerify, whenHeld, isSilent, heartbeat }: KeysOfStandIn) {
  function own(tenantId: string, keyId: string): StoredKey {
    const found = [...state.keys.values()].find(
      (stored) => stored.record.keyId === keyId && (tenantId === '' || stored.tenantId === tenantId),
    );
    if (found === undefined) throw notFound('unknown_key', 'There is no key with this id.');
    return found;
  }

  function shown({ record }: Pick<StoredKey, 'record'>): account.KeyRecord {
    return { ...record, creditCeiling: credits.ceilingOf(record.keyId) };
  }

  function change(stored: StoredKey, fields: Partial<Pick<account.KeyRecord, 'name' | 'scopes' | 'expiresTsMs'>>): account.KeyRecord {
    stored.record = { ...stored.record, ...fields };
    stored.grant = { ...stored.grant, scopes: stored.record.scopes, expiresTsMs: stored.record.expiresTsMs };
    stored.grant = { ...stored.grant, hasCreditCeiling: credits.ceilingOf(stored.record.keyId) !== undefined };
    state.changes.send({ message: { $case: 'changed', value: { keyId: stored.record.keyId, keyDigest: keyDigest(stored.key) } } });
    return shown(stored);
  }

  /** Sets a key's own rate; 0 removes it. */
  function limit(stored: StoredKey, callsPerMinute: number): account.KeyRecord {
    const { keyId } = stored.record;
    stored.record = { ...stored.record, callsPerMinute: callsPerMinute === 0 ? undefined : callsPerMinute };
    stored.grant = { ...stored.grant, ownRate: callsPerMinute === 0 ? undefined : { callsPerMinute, keyId } };
    return shown(stored);
  }

  return bindService(account.KeyServiceService, {
    async verifyKey({ keyDigest: digest }, { signal }) {
      onVerify();
      refuseWhenDown();
      const stored = state.keys.get(digest.toString('hex'));
      await whenHeld(stored === undefined, signal);
      const isOver =
        stored === undefined ||
        stored.record.revokedTsMs !== 0 ||
        (stored.grant.expiresTsMs !== 0 && stored.grant.expiresTsMs <= state.now());
      return { grant: isOver ? undefined : stored.grant };
    },
    async noteKeyUses({ uses }) {
      for (const { keyId, usedTsMs } of uses) {
        const stored = own('', keyId);
        stored.record = { ...stored.record, lastUsedTsMs: usedTsMs };
      }
      return {};
    },
    async issueKey({ tenantName, kind, scopes, expiresTsMs }) {
      const { key, record, tenantId } = state.addKey(
        tenantName,
        kind === account.KeyKind.TEST ? 'test' : 'live',
        { scopes, expiresTsMs },
        tenantName,
      );
      return { key, keyId: record.keyId, tenantId };
    },
    async createKey({ tenantId, name, kind, scopes, expiresTsMs, creditCeiling, callsPerMinute }) {
      const grant = { scopes, expiresTsMs, hasCreditCeiling: creditCeiling !== undefined };
      const { key, record } = state.addKey(tenantId, kind === account.KeyKind.TEST ? 'test' : 'live', grant, name);
      credits.setCeiling(record.keyId, creditCeiling);
      return { key, record: callsPerMinute === undefined ? shown({ record }) : limit(own(tenantId, record.keyId), callsPerMinute) };
    },
    async issueSandboxKey() {
      const expiresTsMs = state.now() + 7 * 86_400_000;
      const { key, record } = state.addKey(`ten_sandbox_${state.keys.size}`, 'test', { expiresTsMs }, 'Sandbox');
      return { key, record, calls: 200 };
    },
    async listKeys({ tenantId, limit, cursor }) {
      const all = [...state.keys.values()]
        .filter((stored) => stored.tenantId === tenantId)
        .map(shown)
        .reverse();
      const from = cursor === '' ? 0 : Number(JSON.parse(Buffer.from(cursor, 'base64url').toString())[1]);
      const keys = all.slice(from, from + limit);
      return { keys, nextCursor: from + limit < all.length ? Buffer.from(JSON.stringify(['k1', from + limit])).toString('base64url') : '' };
    },
    async updateKey({ tenantId, keyId, name, scopes, expiresTsMs, creditCeiling, callsPerMinute }) {
      const stored = own(tenantId, keyId);
      if (callsPerMinute !== undefined) limit(stored, callsPerMinute);
      if (creditCeiling !== undefined) credits.setCeiling(keyId, creditCeiling.credits === 0 ? undefined : creditCeiling);
      return {
        key: change(stored, {
          name: name ?? stored.record.name,
          scopes: scopes.length === 0 ? stored.record.scopes : scopes,
          expiresTsMs: expiresTsMs ?? stored.record.expiresTsMs,
        }),
      };
    },
    async rotateKey({ tenantId, keyId, overlapMs }) {
      const stored = own(tenantId, keyId);
      const kind = stored.record.kind === account.KeyKind.TEST ? 'test' : 'live';
      const { key, record: created } = state.addKey(tenantId, kind, { scopes: stored.record.scopes }, stored.record.name);
      return { key, created, ending: change(stored, { expiresTsMs: state.now() + overlapMs }) };
    },
    async revokeKey({ tenantId, keyId }) {
      state.endKey(keyDigest(own(tenantId, keyId).key));
      return {};
    },
    async *watchKeys(_request, { signal }) {
      if (!isSilent()) yield heartbeat();
      yield* state.changes.subscribe(signal);
    },
  });
}
