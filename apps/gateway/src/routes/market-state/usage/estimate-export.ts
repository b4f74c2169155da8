import type { exports as contract } from '@market-state/contracts';
import { type ExportRequest, quotedParameters, readExportRequest, toProtoSpec } from '../../../clients/exports/export-request';
import { fromExports } from '../../../clients/exports/from-exports';
import { showSpec } from '../../../clients/exports/show-job';
import type { Upstreams } from '../../../clients/upstreams';
import type { Grant } from '../../../serving/auth/grant';
import type { Described } from '../../../serving/openapi/described';
import type { Operation } from '../../../serving/openapi/operations';
import type { RequestValidator } from '../../../serving/validation/request-validator';
import { toldSize } from './answer-size';
import type { PricedCall } from './priced-call';
import { readUnsent } from '../read-unsent';

export interface EstimateExportDeps extends Pick<Upstreams, 'exports'> {
  readonly validator: RequestValidator;
}

function showPlan({ rowTotal, byteTotal, partTotal, spec }: contract.PlanExportResponse): Described<'ExportPlan'> {
  return { row_total: rowTotal, byte_total: byteTotal, part_total: partTotal, request: showSpec(spec) };
}

/** What an order would cost at most, by what the export service has recorded. */
export async function estimateExport(
  { exports, validator }: EstimateExportDeps,
  asked: Operation,
  { tenantId, plan }: Grant,
  rawQuery: string,
): Promise<PricedCall> {
  const { body } = await readUnsent(validator, asked, rawQuery);
  const request = readExportRequest(body as Parameters<typeof readExportRequest>[0]);
  const planned = await fromExports(exports.call.planExport({ tenantId, planId: plan.planId, spec: toProtoSpec(request) }), 'query');
  return {
    family: 'export_job',
    credit: 'export',
    estimated: planned.exportCredits,
    basis: `1 credit, and 1 more for each 100,000 rows begun: ${planned.rowTotal.toLocaleString('en-US')} rows at most`,
    byMessages: false,
    size: toldSize({ rows: planned.rowTotal, are: 'at_most' }, planned.byteTotal),
    quoted: quotedParameters(request),
    parameters: request satisfies ExportRequest,
    exportPlan: showPlan(planned),
  };
}
