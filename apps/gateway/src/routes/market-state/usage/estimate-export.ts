import { parse } from 'node:querystring';
import type { exports as contract } from '@market-state/contracts';
import { type ExportRequest, quotedParameters, readExportRequest, toProtoSpec } from '../../../clients/exports/export-request';
import { fromExports } from '../../../clients/exports/from-exports';
import { showSpec } from '../../../clients/exports/show-job';
import type { Upstreams } from '../../../clients/upstreams';
import type { Grant } from '../../../serving/auth/grant';
import { type FaultItem, InvalidRequest } from '../../../serving/errors/fault-item';
import type { Described } from '../../../serving/openapi/described';
import type { Operation } from '../../../serving/openapi/operations';
import type { Input, RequestValidator } from '../../../serving/validation/request-validator';
import { unsentCall } from '../../../serving/validation/unsent-call';
import type { PricedCall } from './priced-call';

export interface EstimateExportDeps extends Pick<Upstreams, 'exports'> {
  readonly validator: RequestValidator;
}

/** Type of a field of the body, as the document has it. */
function typeOf(asked: Operation, name: string): unknown {
  const properties = new Map(Object.entries(asked.body?.schema.properties ?? {}));
  return properties.get(name)?.type;
}

/** Fields of a body that are sent in a query: lists repeated or separated by commas. */
function bodyOf(asked: Operation, sent: Readonly<Record<string, string | readonly string[] | undefined>>) {
  const body: Record<string, unknown> = {};
  const faults: FaultItem[] = [];
  for (const [name, value] of Object.entries(sent)) {
    const type = typeOf(asked, name);
    const values = [value ?? []].flat();
    if (type === undefined)
      faults.push({ loc: ['query', name], msg: 'is not a field of the body of this route', type: 'unknown_parameter' });
    else if (type === 'array') body[name] = values.flatMap((text) => text.split(','));
    else if (values.length > 1) faults.push({ loc: ['query', name], msg: 'was sent more than once', type: 'duplicate_parameter' });
    else body[name] = type === 'integer' && /^\d{1,9}$/.test(values[0] ?? '') ? Number(values[0]) : values[0];
  }
  return { body, faults };
}

async function readBody(validator: RequestValidator, asked: Operation, rawQuery: string): Promise<Input['body']> {
  const { route, method, ...sent } = parse(rawQuery, '&', '=', { maxKeys: 0 });
  void route;
  void method;
  const { body, faults } = bodyOf(asked, sent);
  const validation = await validator.validate(asked, ...unsentCall(asked, { body }));
  if (validation.ok && faults.length === 0) return validation.input.body;
  const { faults: found, further } = validation.ok ? { faults: [], further: 0 } : validation;
  throw new InvalidRequest([...faults, ...found.map((fault) => ({ ...fault, loc: ['query', ...fault.loc.slice(1)] }))], further);
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
  const request = readExportRequest((await readBody(validator, asked, rawQuery)) as Parameters<typeof readExportRequest>[0]);
  const planned = await fromExports(exports.call.planExport({ tenantId, planId: plan.planId, spec: toProtoSpec(request) }), 'query');
  return {
    family: 'export_job',
    credit: 'export',
    estimated: planned.exportCredits,
    basis: `1 credit, and 1 more for each 100,000 rows begun: ${planned.rowTotal.toLocaleString('en-US')} rows at most`,
    byMessages: false,
    quoted: quotedParameters(request),
    parameters: request satisfies ExportRequest,
    exportPlan: showPlan(planned),
  };
}
