import type { DataHealthWatch } from '../clients/data-health';
import { type MarketDataClient, servedSymbols } from '../clients/market-data-client';
import { jsonRepresentation } from '../http/representation';
import { streamManifest } from '../streams/stream-manifest';
import { dataAnswer } from './data-answer';
import type { Handler } from './handler';
import { serviceSource } from './service-answer';

export function getStreamManifest(client: MarketDataClient, dataHealth: Pick<DataHealthWatch, 'current'>, now: () => number): Handler {
  const fields = streamManifest();
  return async ({ operation, grant }) => jsonRepresentation(dataAnswer({ operation, grant }, serviceSource(await servedSymbols(client), dataHealth, now()), fields));
}
