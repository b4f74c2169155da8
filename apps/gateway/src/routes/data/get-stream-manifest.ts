import type { DataHealthWatch } from '../../clients/data-health';
import { type MarketDataClient, servedSymbols } from '../../clients/market-data-client';
import { jsonRepresentation } from '../../serving/http/representation';
import { streamManifest } from '../../streams/stream-manifest';
import { dataAnswer, serviceSource } from '../../serving/answers/data-answer';
import type { Handler } from '../../serving/answers/handler';

/** It does not change while the process runs, and is made when it is first asked for. */
let fields: ReturnType<typeof streamManifest> | undefined;

export function getStreamManifest(
  client: MarketDataClient,
  dataHealth: Pick<DataHealthWatch, 'current'>,
  now: () => number,
): Handler<'getStreamManifest'> {
  return async ({ operation, grant }) => {
    const source = serviceSource(await servedSymbols(client), dataHealth, now());
    return jsonRepresentation(dataAnswer({ operation, grant }, source, (fields ??= streamManifest())));
  };
}
