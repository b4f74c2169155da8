import { loadPolicy } from '@market-state/labeler';
import { EVENT_ROW_SCHEMA } from '@market-state/market-data';
import type { DataHealthWatch } from '../../clients/data-health';
import { type MarketDataClient, servedSymbols } from '../../clients/market-data-client';
import { jsonRepresentation } from '../../serving/http/representation';
import { manifestLimits } from './manifest/manifest-limits';
import { manifestRoutes } from './manifest/manifest-routes';
import { manifestSchemas } from './manifest/manifest-schemas';
import { openApiDocument } from '../../serving/openapi/document';
import { dataAnswer, serviceSource } from '../../serving/answers/data-answer';
import type { Handler } from '../../serving/answers/handler';

/** What does not change while the process runs, made when it is first asked for. */
let fields: ReturnType<typeof fixedFields> | undefined;

function fixedFields() {
  const { versions, digest } = loadPolicy();
  const routes = manifestRoutes();
  return {
    version: openApiDocument.info.version,
    row_schema: EVENT_ROW_SCHEMA,
    packet_schema: 'market_state.v1',
    routes,
    route_total: routes.length,
    schemas: manifestSchemas(),
    limits: manifestLimits(),
    policy_versions: versions,
    policy_digest: digest,
  };
}

export function getDataManifest(
  client: MarketDataClient,
  dataHealth: Pick<DataHealthWatch, 'current'>,
  now: () => number,
): Handler<'getDataManifest'> {
  return async ({ operation, grant }) => {
    const source = serviceSource(await servedSymbols(client), dataHealth, now());
    return jsonRepresentation(dataAnswer({ operation, grant }, source, (fields ??= fixedFields())));
  };
}
