import type { VenueMarket } from '../market/venue-market';
import { COIN } from '../protocol/coin';
import { bookFrame, WHOLE_LEVELS } from '../protocol/frames';
import type { InfoRequest } from '../protocol/requests';

const UNIVERSE = { universe: [{ szDecimals: 2, name: COIN, maxLeverage: 20 }] };
/** Rows of one answer, as the venue limits them. */
const ROWS_MAX = 500;

/**
 * The answer of `POST /info`; null for a coin that the venue does not have, as there.
 * @param hasCoin false while the metadata lacks the coin
 */
export function answerInfo(market: VenueMarket, request: InfoRequest, hasCoin: boolean): unknown {
  switch (request.type) {
    case 'meta':
      return hasCoin ? UNIVERSE : { universe: [] };
    case 'metaAndAssetCtxs': {
      if (!hasCoin) return [{ universe: [] }, []];
      const context = market.assetContext();
      return [UNIVERSE, context === undefined ? [{}] : [context]];
    }
    case 'allMids':
      return { [COIN]: market.assetContext()?.midPx ?? '1500.0' };
    case 'l2Book': {
      const book = market.lastBook();
      return request.coin !== COIN || book === undefined ? null : bookFrame(book, WHOLE_LEVELS).data;
    }
    case 'recentTrades':
      return request.coin === COIN ? market.recentTrades() : null;
    case 'fundingHistory':
      return request.coin === COIN ? market.fundings.between(request.startTime, request.endTime ?? Infinity).slice(0, ROWS_MAX) : null;
    case 'candleSnapshot': {
      const { coin, interval, startTime, endTime = Infinity } = request.req;
      return coin === COIN && interval === '1m' ? market.candles.between(startTime, endTime) : [];
    }
  }
}
