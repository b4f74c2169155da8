import type { Fault } from '@market-state/errors';
import type { CallContext } from '@market-state/grpc';
import { refuseFaults } from '@market-state/request-checks';
import { networkOf } from '../../accounts/network';
import type { PasswordCaller } from '../../accounts/password-work';

const DIGEST_SIZE_BYTES = 32;

/** What limits count of an address, or the fault of one that is none. */
export function readNetwork(address: string): { readonly network: string; readonly faults: Fault[] } {
  const network = networkOf(address);
  if (network !== null) return { network, faults: [] };
  return { network: '', faults: [{ field: 'address', message: 'must be an IPv4 or IPv6 address', type: 'malformed' }] };
}

/** The caller of a password operation, unknown until its address or token is looked up. */
export function callerOf(network: string, { signal, deadlineMs }: CallContext): PasswordCaller {
  return { isKnown: false, network, signal, deadlineMs };
}

/** @throws ServiceError INVALID_ARGUMENT for a digest that is not SHA-256 */
export function checkSessionDigest(digest: Uint8Array): void {
  refuseFaults(digest.length === DIGEST_SIZE_BYTES ? [] : [{ field: 'session_digest', message: 'must be 32 bytes', type: 'wrong_length' }]);
}
