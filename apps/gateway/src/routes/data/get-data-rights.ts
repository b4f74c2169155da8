import type { marketData } from '@market-state/contracts';
import type { DataHealthWatch } from '../../clients/data-health';
import { type MarketDataClient, servedSymbols } from '../../clients/market-data-client';
import { jsonRepresentation } from '../../serving/http/representation';
import { dataAnswer, serviceSource } from '../../serving/answers/data-answer';
import type { Handler } from '../../serving/answers/handler';
import type { Described } from '../../serving/openapi/described';

function toRights({
  featureClass,
  allowedUses,
  redistribution,
  hotDays,
  archiveDays,
}: marketData.FeatureClassRights): Described<'FeatureClassRights'> {
  return {
    feature_class: featureClass,
    allowed_uses: allowedUses,
    redistribution,
    retention: { hot_days: hotDays, archive_days: archiveDays },
  };
}

export function getDataRights(
  client: MarketDataClient,
  dataHealth: Pick<DataHealthWatch, 'current'>,
  now: () => number,
): Handler<'getDataRights'> {
  return async ({ operation, grant }) => {
    const [{ featureClasses }, symbols] = await Promise.all([client.call.getRights({}), servedSymbols(client)]);
    const fields = { dataset_resale_right: 'not_included_by_default' as const, feature_classes: featureClasses.map(toRights) };
    return jsonRepresentation(dataAnswer({ operation, grant }, serviceSource(symbols, dataHealth, now()), fields));
  };
}
