import type { account } from '@market-state/contracts';
import type { KeyWatch, WatchMessage } from '../keys/key-watch';

export interface WatchKeysDeps {
  readonly watch: KeyWatch;
}

export function createWatchKeys(deps: WatchKeysDeps) {
  return async function* watchKeysRpc(
    _request: account.WatchKeysRequest,
    context: { readonly signal: AbortSignal },
  ): AsyncGenerator<account.WatchKeysResponse> {
    for await (const message of deps.watch.open(context.signal)) yield toProtoMessage(message);
  };
}

function toProtoMessage(message: WatchMessage): account.WatchKeysResponse {
  switch (message.type) {
    case 'changed':
      return { message: { $case: 'changed', value: { keyId: message.change.keyId, keyDigest: Buffer.from(message.change.digest) } } };
    case 'heartbeat':
      return { message: { $case: 'heartbeat', value: { sentTsMs: message.sentTsMs } } };
  }
}
