import { isObject } from '../json';
import { type ListedPerpetual, ListingError, type VenueListing } from '../listing/listed-perpetual';
import { factOf, powerOfTen } from '../listing/read-answer';
import { readCoin } from './instrument';

const META = 'metaAndAssetCtxs';

/** Prices have at most five significant digits, so the tick depends on the price; funding is paid every hour. */
export const hyperliquidListing: VenueListing = {
  requests: [{ name: META, path: 'info', body: { type: META } }],
  read(answers) {
    const [meta, contexts] = Array.isArray(answers[META]?.[0]) ? (answers[META][0] as unknown[]) : [];
    const universe: unknown = isObject(meta) ? meta['universe'] : undefined;
    if (!Array.isArray(universe)) throw new ListingError('the venue did not list its coins');
    return (universe as unknown[]).flatMap((asset, index): ListedPerpetual[] => {
      const name: unknown = isObject(asset) ? asset['name'] : undefined;
      if (!isObject(asset) || typeof name !== 'string') return [];
      const context: unknown = Array.isArray(contexts) ? contexts[index] : undefined;
      const decimals = asset['szDecimals'];
      return [
        {
          venueInstrument: name,
          ...readCoin(name),
          quote: 'USD',
          unit: 'base',
          lotSize: powerOfTen(typeof decimals === 'number' ? -decimals : undefined),
          fundingIntervalHours: 1,
          dayVolumeUsd: isObject(context) ? factOf(context['dayNtlVlm']) : undefined,
          ...(asset['isDelisted'] === true && { notTraded: 'the venue has delisted it' }),
        },
      ];
    });
  },
};
