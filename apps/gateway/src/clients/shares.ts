import { labeling } from '@market-state/contracts';
import { internal } from '@market-state/errors';

const { Share_Standing: Standing } = labeling;
const DEMO = '/api/public/market-state/demo/shares';

export type ShareState = 'active' | 'expired' | 'revoked' | 'withheld';

const STATES: ReadonlyMap<labeling.Share_Standing, ShareState> = new Map([
  [Standing.ACTIVE, 'active'],
  [Standing.EXPIRED, 'expired'],
  [Standing.REVOKED, 'revoked'],
  [Standing.WITHHELD, 'withheld'],
]);

export function shareStateOf({ standing }: labeling.Share): ShareState {
  const state = STATES.get(standing);
  if (state === undefined) throw internal({ detail: `labeling returned a share with unknown state ${standing}` });
  return state;
}

/** Callable without a key. */
export function shareRoutes(shareId: string): { readonly page: string; readonly packet: string; readonly badge: string } {
  return { page: `/s/${shareId}`, packet: `${DEMO}/${shareId}`, badge: `${DEMO}/${shareId}/badge.svg` };
}
