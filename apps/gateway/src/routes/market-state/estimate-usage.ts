import { parse, stringify } from 'node:querystring';
import { account, type exports as contract } from '@market-state/contracts';
import { type CallPrice, type CreditKind, isPricedByParameters, PRICE_VERSION } from '@market-state/pricing';
import { notForSandbox } from '../../clients/delayed/delayed-services';
import { type ExportRequest, quotedParameters, readExportRequest, toProtoSpec } from '../../clients/export-request';
import { fromExports, showSpec } from '../../clients/show-job';
import type { Upstreams } from '../../clients/upstreams';
import { accountAnswer } from '../../serving/answers/account-answer';
import { type Call, grantOf, type Handler } from '../../serving/answers/handler';
import { showBalances } from '../../serving/answers/show-billing';
import type { Grant } from '../../serving/auth/credentials';
import { type FaultItem, InvalidRequest, Problem } from '../../serving/errors/problem';
import { toUtc } from '../../serving/meta/meta';
import { parametersDigest, priceOfCall, QUOTE_LIFE_MS, signQuote } from '../../serving/metering/call-price';
import { refusalCode, type Meter } from '../../serving/metering/meter';
import type { Described } from '../../serving/openapi/document';
import { type Operation, operations } from '../../serving/openapi/operations';
import type { Input, RequestValidator } from '../../serving/validation/request-validator';
import { type AnswerSize, estimatedSize, sizeOfCall } from './answer-size';

interface PricedCall extends Omit<CallPrice, 'observed' | 'units'> {
  readonly size: AnswerSize;
  /** Input bound by the quote. */
  readonly quoted: Pick<Input, 'query' | 'path' | 'body'>;
  /** The same input as shown in the response. */
  readonly parameters: object;
  /** Exports only. */
  readonly exportPlan?: Described<'ExportPlan'>;
}

interface EstimateExportDeps extends Pick<Upstreams, 'exports'> {
  readonly validator: RequestValidator;
}

function showPlan({ rowTotal, byteTotal, partTotal, spec }: contract.PlanExportResponse): Described<'ExportPlan'> {
  return { row_total: rowTotal, byte_total: byteTotal, part_total: partTotal, request: showSpec(spec) };
}

const EXPORT_SIZE_SOURCE = 'an earlier file of the same kind and of a similar length, else a sample of the requested rows';

/**
 * From the recorded rows.
 * @throws {Problem} 403 for a sandbox key, which must not learn how many of the newest rows there are
 */
async function estimateExport(
  { exports, validator }: EstimateExportDeps,
  requested: Operation,
  { tenantId, plan, sandbox }: Grant,
  rawQuery: string,
): Promise<PricedCall> {
  if (sandbox) throw notForSandbox();
  const { body } = await readUnsent(validator, requested, rawQuery);
  const request = readExportRequest(body as Parameters<typeof readExportRequest>[0]);
  const planned = await fromExports(exports.call.planExport({ tenantId, planId: plan.planId, spec: toProtoSpec(request) }), 'query');
  return {
    family: 'export_job',
    credit: 'export',
    estimated: planned.exportCredits,
    basis: `1 credit plus 1 for each started 100,000 rows, for at most ${planned.rowTotal.toLocaleString('en-US')} rows`,
    byMessages: false,
    size: { ...estimatedSize({ rows: planned.rowTotal, are: 'at_most' }, planned.byteTotal), byte_total_basis: EXPORT_SIZE_SOURCE },
    quoted: quotedParameters(request),
    parameters: request satisfies ExportRequest,
    exportPlan: showPlan(planned),
  };
}

export interface EstimateDeps extends Pick<Upstreams, 'credits' | 'exports' | 'replayRows'> {
  readonly meter: Pick<Meter, 'posted' | 'unacknowledged'>;
  readonly validator: RequestValidator;
  readonly quoteSecret: string;
  readonly symbolTotal: () => number;
  readonly now: () => number;
}

const PROTO_KINDS: Readonly<Record<CreditKind, account.CreditKind>> = {
  market_state: account.CreditKind.MARKET_STATE,
  export: account.CreditKind.EXPORT,
};

/** True if the price depends on recorded rows instead of parameters. */
function ordersExport({ price }: Operation): boolean {
  return price !== null && !isPricedByParameters(price);
}

function findOperation(route: string, method: string): Operation {
  const ofPath = operations.filter(({ path }) => path === route);
  const found =
    method === ''
      ? (ofPath.find(ordersExport) ?? ofPath.find((operation) => operation.method === 'get') ?? ofPath[0])
      : ofPath.find((operation) => operation.method.toUpperCase() === method);
  if (found === undefined) throw new Problem('not_found', `No such route: ${[method, route].join(' ').trim()}.`);
  if (found.price === null)
    throw new InvalidRequest([
      { loc: ['query', 'route'], msg: 'names a route that is not metered: its calls are free', type: 'not_metered' },
    ]);
  return found;
}

/** Maximum cost of a call, with a binding quote. */
export function estimateUsage(deps: EstimateDeps): Handler<'estimateUsage'> {
  const { credits, exports, replayRows, meter, validator, quoteSecret, symbolTotal, now } = deps;

  async function priced(requested: Operation, call: Call<'estimateUsage'>): Promise<PricedCall> {
    const input = await readUnsent(validator, requested, call.rawQuery);
    const grant = grantOf(call);
    const facts = { symbolTotal: symbolTotal(), planId: grant.plan.planId };
    const bound = priceOfCall(requested, input, facts);
    const { reported: size, messagesMax } = await sizeOfCall(replayRows, requested, input, grant, bound.units);
    const price = messagesMax === null ? bound : priceOfCall(requested, input, { ...facts, messages: messagesMax });
    return { ...price, size, quoted: input, parameters: { ...input.path, ...input.query, ...(input.body as object | undefined) } };
  }

  return async (call) => {
    const grant = grantOf(call);
    const { tenantId, keyId } = grant;
    const estimatedOperation = findOperation(call.input.query.route, call.input.query.method);
    const price = ordersExport(estimatedOperation)
      ? await estimateExport({ exports, validator }, estimatedOperation, grant, call.rawQuery)
      : await priced(estimatedOperation, call);
    const preview = await credits.call.previewCharge({
      tenantId,
      keyId: keyId ?? undefined,
      kind: PROTO_KINDS[price.credit],
      credits: price.estimated,
      unacknowledged: meter.unacknowledged(tenantId),
    });
    const cost = {
      market_state: price.credit === 'market_state' ? price.estimated : 0,
      export: price.credit === 'export' ? price.estimated : 0,
    };
    const expiresMs = now() + QUOTE_LIFE_MS;
    const quote = {
      tenantId,
      method: estimatedOperation.method.toUpperCase(),
      route: estimatedOperation.path,
      parameters: parametersDigest(price.quoted).toString('base64url'),
      maxMarketStateCredits: cost.market_state,
      maxExportCredits: cost.export,
      priceVersion: PRICE_VERSION,
      expiresMs,
    };
    const fields = {
      method: quote.method,
      route: estimatedOperation.path,
      workload_family: price.family,
      price_version: PRICE_VERSION,
      parameters: price.parameters,
      estimated_market_state_credit_cost: cost.market_state,
      estimated_export_credit_cost: cost.export,
      estimate_basis: price.basis,
      charged_by_messages: price.byMessages,
      ...price.size,
      balances: showBalances(preview.balances),
      market_state_credits_after: preview.marketStateAfter,
      export_credits_after: preview.exportAfter,
      would_be_refused_with: preview.refusal === undefined ? null : refusalCode(preview.refusal.control),
      ...(price.exportPlan === undefined ? {} : { export_plan: price.exportPlan }),
      quote_id: signQuote(quote, quoteSecret),
      quote_expires_at_utc: toUtc(expiresMs),
    };
    return accountAnswer(call, fields, 'Upper bound. You are charged for what the call returns, never more than this.');
  };
}

/** Body assembled from query parameters, with the errors found on the way. */
interface SentBody {
  /** Undefined for an operation without a body. */
  readonly body: unknown;
  readonly faults: readonly FaultItem[];
}

type Sent = Readonly<Record<string, string | readonly string[] | undefined>>;

/** Scalars as text, lists of texts repeated or comma-separated, objects and lists of objects as JSON. */
function readSentBody({ body: described }: Operation, sent: Sent): SentBody {
  if (described === null) return { body: undefined, faults: [] };
  const fields = new Map(Object.entries(described.schema['properties'] ?? {}) as [string, { readonly type?: unknown }][]);
  const body: Record<string, unknown> = {};
  const faults: FaultItem[] = [];
  const refuse = (name: string, msg: string, type: string): void => void faults.push({ loc: ['query', name], msg, type });
  for (const [name, value] of Object.entries(sent)) {
    const values = [value ?? []].flat();
    const [text = ''] = values;
    const types = [fields.get(name)?.type ?? []].flat();
    if (!fields.has(name)) refuse(name, 'is not a body field of this route', 'unknown_parameter');
    else if (types.includes('array') && !text.startsWith('[')) body[name] = values.flatMap((each) => each.split(','));
    else if (values.length > 1) refuse(name, 'was sent more than once', 'duplicate_parameter');
    else if (types.includes('array') || types.includes('object')) {
      const read = readJson(text);
      if (read === undefined) refuse(name, 'must be JSON, as in the body', 'json');
      else body[name] = read;
    } else body[name] = readText(text, types);
  }
  return { body, faults };
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Leaves unreadable text as is, so that schema validation reports it. */
function readText(text: string, types: readonly unknown[]): unknown {
  if (types.includes('integer') && /^\d{1,9}$/.test(text)) return Number(text);
  if (types.includes('boolean') && (text === 'true' || text === 'false')) return text === 'true';
  return text;
}

/**
 * Path parameters and body fields are sent as query parameters.
 * @throws InvalidRequest with every error, located in that query
 */
async function readUnsent(validator: RequestValidator, requested: Operation, rawQuery: string): Promise<Input> {
  const { route, method, ...sent } = parse(rawQuery, '&', '=', { maxKeys: 0 });
  void route;
  void method;
  const named = (place: string): string[] => requested.parameters.filter((parameter) => parameter.in === place).map(({ name }) => name);
  const [inPath, inQuery] = [named('path'), named('query')];
  const missing = inPath.filter((name) => typeof sent[name] !== 'string');
  if (missing.length > 0)
    throw new InvalidRequest(
      missing.map((name) => ({ loc: ['query', name], msg: `is required: it is part of ${requested.path}`, type: 'required' })),
    );
  // A path with an empty segment cannot be matched, so that error is reported here.
  const empty = inPath.filter((name) => sent[name] === '');
  const path = Object.fromEntries(inPath.map((name) => [name, String(sent[name]) || '-']));
  const rest = Object.entries(sent).filter(([name]) => !inPath.includes(name));
  const isOfBody = (name: string): boolean => requested.body !== null && !inQuery.includes(name);
  const query = Object.fromEntries(rest.filter(([name]) => !isOfBody(name)));
  const { body, faults } = readSentBody(requested, Object.fromEntries(rest.filter(([name]) => isOfBody(name))));
  const validation = await validator.validate(requested, { rawQuery: stringify(query), path, headers: {}, body });
  if (validation.ok && empty.length + faults.length === 0) return validation.input;
  const found = validation.ok ? { faults: [], further: 0 } : validation;
  throw new InvalidRequest(
    [
      ...faults,
      ...found.faults.map((fault) => inTheQuery(requested, fault)).filter(({ loc }) => faults.every((fault) => fault.loc[1] !== loc[1])),
      ...empty.map((name) => ({ loc: ['query', name], msg: 'must NOT have fewer than 1 characters', type: 'minLength' })),
    ],
    found.further,
  );
}

/** An error about the whole body lists its fields. */
function inTheQuery({ body }: Operation, fault: FaultItem): FaultItem {
  const [place, ...within] = fault.loc;
  if (place !== 'path' && place !== 'body') return fault;
  const loc = ['query', ...within];
  if (place === 'path' || within.length > 0) return { ...fault, loc };
  return { ...fault, loc, msg: `${fault.msg}: the body has ${Object.keys(body?.schema['properties'] ?? {}).join(', ')}` };
}
