import type { account } from '@market-state/contracts';
import { unavailable } from '@market-state/errors';
import type { KeyWatch, WatchMessage } from '../../keys/key-watch';

export interface WatchKeysDeps {
  readonly watch: KeyWatch;
  /** `catchUp` resolves when changes are known to be heard. */
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
    throw unavailable('upstream_unavailable', 'Key changes cannot be received at the moment.', { cause: error });
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
