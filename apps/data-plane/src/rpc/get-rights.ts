import type { marketData } from '@market-state/contracts';
import { CHANNELS } from '@market-state/market-data';
import featureClasses from '../rights/feature-classes.json';
import { toPublicChannel } from '../window/public-channels';
import type { RpcDeps } from './deps';

/** What may be done with each feature class, and for how long the rows behind it are kept. */
export async function getRights({ storage }: Pick<RpcDeps, 'storage'>): Promise<marketData.GetRightsResponse> {
  return {
    featureClasses: featureClasses.map(
      ({ feature_class: featureClass, allowed_uses: allowedUses, redistribution, retained_as: publicChannel }) => {
        const channel = CHANNELS.find((each) => toPublicChannel(each) === publicChannel);
        const days = channel === undefined ? storage.packetDays : storage.days[channel];
        return { featureClass, allowedUses, redistribution, hotDays: days.hotDays, archiveDays: days.archiveDays };
      },
    ),
  };
}
