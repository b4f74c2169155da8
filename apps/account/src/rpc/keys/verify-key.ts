import type { account } from '@market-state/contracts';
import { type Fault, unavailable } from '@market-state/errors';
import type { Logger } from '@market-state/logging';
import type { Queryable } from '@market-state/postgres';
import { digestFaults, idFaults, instantFaults, refuseFaults } from '@market-state/request-checks';
import type { LastUsed } from '../../keys/last-used';
import { findKeyByDigest, writeUses } from '../../store/keys';
import { toProtoGrant } from './wire';
import * as keys from '../../keys/key';
import type { KeyWatch, WatchMessage } from '../../keys/key-watch';

export interface WatchKeysDeps {
  readonly watch: KeyWatch;
  /** `catchUp` resolves once key changes are being received. */
  readonly listener: { catchUp(): Promise<void> };
  readonly clock: () => number;
}

export async function* watchKeys(
  deps: WatchKeysDeps,
  _request: account.WatchKeysRequest,
  context: { readonly signal: AbortSignal },
): AsyncGenerator<account.WatchKeysResponse> {
  const messages = deps.watch.open(context.signal);
  await deps.listener.catchUp().catch((error: unknown) => {
    throw unavailable('upstream_unavailable', 'Key changes cannot be received at the moment. Try again.', { cause: error });
  });
  yield toProtoMessage({ type: 'heartbeat', sentTsMs: deps.clock() });
  for await (const message of messages) yield toProtoMessage(message);
}

function toProtoMessage(message: WatchMessage): account.WatchKeysResponse {
  switch (message.type) {
    case 'changed':
      return { message: { $case: 'changed', value: { keyId: message.change.keyId, keyDigest: Buffer.from(message.change.digest) } } };
    case 'session_ended':
      return { message: { $case: 'sessionEnded', value: { sessionDigest: Buffer.from(message.digest) } } };
    case 'tenant_changed':
      return { message: { $case: 'tenantChanged', value: { tenantId: message.tenantId } } };
    case 'heartbeat':
      return { message: { $case: 'heartbeat', value: { sentTsMs: message.sentTsMs } } };
  }
}

const USES_MAX = 1_000;

export async function noteKeyUses(
  { pool, clock }: { readonly pool: Queryable; readonly clock: () => number },
  { uses }: account.NoteKeyUsesRequest,
): Promise<account.NoteKeyUsesResponse> {
  const tooMany: Fault[] = uses.length <= USES_MAX ? [] : [{ field: 'uses', message: `must be ${USES_MAX} at most`, type: 'out_of_range' }];
  refuseFaults([
    ...tooMany,
    ...uses.flatMap(({ keyId, usedTsMs }, index) => [
      ...idFaults(`uses[${index}].key_id`, keyId),
      ...instantFaults(`uses[${index}].used_ts_ms`, usedTsMs),
    ]),
  ]);
  const nowMs = clock();
  await writeUses(
    pool,
    uses.map(({ keyId, usedTsMs }) => ({ keyId, usedTsMs: Math.min(usedTsMs, nowMs) })),
  );
  return {};
}

export interface VerifyKeyDeps {
  readonly pool: Queryable;
  readonly clock: () => number;
  readonly lastUsed: LastUsed;
  readonly logger: Logger;
}

export async function verifyKey(deps: VerifyKeyDeps, request: account.VerifyKeyRequest): Promise<account.VerifyKeyResponse> {
  refuseFaults(digestFaults('key_digest', request.keyDigest));
  const { pool, clock } = deps;
  const key = await keys.verifyKey({ findByDigest: (digest) => findKeyByDigest(pool, digest), clock }, request.keyDigest);
  if (key === null) {
    deps.logger.info('key refused');
    return {};
  }
  deps.logger.info({ key_id: key.id, tenant_id: key.tenantId }, 'key accepted');
  deps.lastUsed.touch(key.id);
  return { grant: toProtoGrant(key) };
}
