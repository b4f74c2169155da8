import type { labeling } from '@market-state/contracts';
import { internal, isServiceError } from '@market-state/errors';
import { type ShareState, shareStateOf } from '../../../clients/shares';
import type { Upstreams } from '../../../clients/upstreams';
import { toUtc } from '../../../serving/meta/instant';

/** Who keeps shares, and who knows whether their tenants may use the service. */
export type ShareReaders = Pick<Upstreams, 'packets' | 'people'>;

/** A share as anyone may see it. */
export interface ShareRead {
  readonly share: labeling.Share;
  readonly state: ShareState;
  /** Instant of its end, milliseconds since the epoch; null while it is active or withheld. */
  readonly endedMs: number | null;
  /** The state in one sentence. */
  readonly note: string;
  /** The packet as RFC 8785 JSON, UTF-8; null unless the share is active. */
  readonly body: Buffer | null;
}

/**
 * Asked anew for each reader, so that a share that has ended is gone at once. Packets that a disabled tenant shared are withheld.
 * @throws ServiceError `unknown_share`
 */
export async function readShare(readers: ShareReaders, shareId: string): Promise<ShareRead> {
  const { share, tenantId, body } = await readers.packets.call.getShare({ shareId });
  if (share === undefined) throw internal({ detail: 'labeling told no share' });
  const told = shareStateOf(share);
  const state = told === 'active' && (await isDisabled(readers, tenantId)) ? 'withheld' : told;
  const endedMs = state === 'revoked' ? share.revokedMs : state === 'expired' ? share.expiresMs : null;
  return { share, state, endedMs, note: noteOf(state, share), body: state === 'active' ? body : null };
}

async function isDisabled({ people }: ShareReaders, tenantId: string): Promise<boolean> {
  try {
    return (await people.call.getTenantStanding({ tenantId })).disabled;
  } catch (error) {
    if (isServiceError(error, 'unknown_tenant')) return true;
    throw error;
  }
}

function noteOf(state: ShareState, { expiresMs, revokedMs }: labeling.Share): string {
  switch (state) {
    case 'active':
      return `The packet is shown until ${toUtc(expiresMs)}.`;
    case 'expired':
      return `The packet was shown until ${toUtc(expiresMs)}; what proves it stays.`;
    case 'revoked':
      return `Whoever shared the packet ended that at ${toUtc(revokedMs)}; what proves it stays.`;
    case 'withheld':
      return 'This installation does not show the packet now; what proves it stays.';
  }
}
