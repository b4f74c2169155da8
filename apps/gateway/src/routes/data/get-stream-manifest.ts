import type { DataHealthWatch } from '../../clients/data-health';
import { type MarketDataClient, servedSymbols } from '../../clients/market-data-client';
import { jsonRepresentation } from '../../serving/http/representation';
import { streamManifest } from '../../streams/stream-manifest';
import { dataAnswer } from '../../serving/answers/data-answer';
import type { Handler } from '../../serving/handlers/handler';
import { serviceSource } from '../../serving/answers/service-answer';

export function getStreamManifest(
  client: MarketDataClient,
  dataHealth: Pick<DataHealthWatch, 'current'>,
  now: () => number,
): Handler<'getStreamManifest'> {
  const fields = streamManifest();
  return async ({ operation, grant }) =>
    jsonRepresentation(dataAnswer({ operation, grant }, serviceSource(await servedSymbols(client), dataHealth, now()), fields));
}
