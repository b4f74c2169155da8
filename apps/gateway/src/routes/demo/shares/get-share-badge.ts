import { badgeFigure, utc } from '@market-state/packet-figures';
import type { ShareState } from '../../../clients/shares';
import type { Handler } from '../../../serving/answers/handler';
import { keptText } from '../../../serving/http/representation';
import { EMBEDDED_SECURITY_HEADERS } from '../../../serving/http/security-headers';
import { readShare, type ShareReaders } from './read-share';

const NOT_SHOWN: Readonly<Record<Exclude<ShareState, 'active'>, string>> = {
  expired: 'no longer shown, proof kept',
  revoked: 'no longer shown, proof kept',
  withheld: 'not shown now, proof kept',
};

/** Pages of others may hold it. No one may keep it, so that it goes with its share. */
export function getShareBadge(readers: ShareReaders): Handler<'getShareBadge'> {
  return async ({ input }) => {
    const { share, state } = await readShare(readers, input.path.share_id);
    const { symbol, windowEndMs } = share;
    const text = state === 'active' ? share.stateLabel : NOT_SHOWN[state];
    const svg = badgeFigure({ state: state === 'active' ? share.state : null, text: `${text}, ${symbol} ${utc(windowEndMs)} UTC` });
    return {
      ...keptText(Buffer.from(svg), 'image/svg+xml'),
      delivery: { cacheControl: 'no-store', security: EMBEDDED_SECURITY_HEADERS },
    };
  };
}
