import type { Params } from '@market-state/client';
import { type Dataset, DATASETS, type Timeframe, TIMEFRAME_NAMES } from '@market-state/export-schema';
import { z } from 'zod';
import { pick } from '../findings';
import { type Tool, defineTool, detail, instant, list, number, quoteFor, text, readArguments, object, symbol } from './tool';

const input = z.strictObject({ receipts: z.int().min(1).max(100).default(5).describe('Number of newest receipts.'), detail });

export const usage = defineTool({
  name: 'usage',
  title: 'Remaining credits and spending',
  description: "Balances of the tenant, the key's credit ceiling, spending by family and day, newest receipts. Cost: free.",
  input,
  output: { balances: list, credit_ceiling: { type: ['object', 'null'] }, spend: list, receipts: list, process_ceiling: object },
  async run(run, { receipts, detail: requested }) {
    const answer = await run.ask((ms, options) => ms.usage.get({ limit: receipts }, options));
    const { budgetLeft } = run.session.ms;
    return {
      of: [answer],
      asOfUtc: answer.to_utc,
      fields: {
        balances: answer.balances.map((one) => pick(one, 'credit_kind', 'available', 'held', 'spent_today')),
        credit_ceiling: answer.credit_ceiling,
        ...(budgetLeft === null ? {} : { process_ceiling: { left: budgetLeft } }),
        spend: requested === 'full' ? answer.spend : answer.spend_by_family,
        receipts: answer.receipts.map((one) => ({
          ...pick(one, 'receipt_id', 'served_at_utc', 'endpoint'),
          credits: one.observed_market_state_credit_cost,
          export_credits: one.observed_export_credit_cost,
        })),
      },
      lists: ['spend', 'receipts'],
      rest: () => ({ tool: 'usage', arguments: { receipts, detail: 'full' } }),
    };
  },
});

/** Not needed for a quote. */
const OF_ORDERS = { quote_id: 'none', confirm: true };

export function estimateCost(tools: readonly Tool[]): Tool {
  const [first = '', ...others] = tools.filter(({ calls }) => calls !== undefined).map(({ name }) => name);
  const input = z.strictObject({
    tool: z.enum([first, ...others]),
    arguments: z.record(z.string(), z.unknown()).describe('Arguments of that tool.'),
    detail,
  });
  return defineTool({
    name: 'estimate_cost',
    title: 'Cost of a call',
    description: 'Maximum cost of a call of another tool, by a quote that is valid for five minutes. Cost: free.',
    input,
    output: { credits_at_most: number, export_credits_at_most: number, quotes: list, quote_id: text, quote_expires_at_utc: text },
    async run(run, { tool: name, arguments: given }) {
      const tool = tools.find((each) => each.name === name);
      const args = readArguments(tool as Tool, tool?.orders === true ? { ...OF_ORDERS, ...given } : given);
      const quotes = await Promise.all((tool?.calls?.(args) ?? []).map((call) => quoteFor(run.session.orders, call)));
      const [only, ...further] = quotes.map(({ estimate }) => estimate);
      if (only === undefined) throw new RangeError(`${name} has no price`);
      const sum = (of: 'maxCredits' | 'maxExportCredits'): number => quotes.reduce((total, quote) => total + quote[of], 0);
      return {
        of: [only, ...further],
        asOfUtc: new Date().toISOString(),
        fields: {
          credits_at_most: sum('maxCredits'),
          export_credits_at_most: sum('maxExportCredits'),
          ...(further.length === 0 ? { quote_id: only.quote_id, quote_expires_at_utc: only.quote_expires_at_utc } : {}),
          ...(only.export_plan === undefined ? {} : { rows: only.export_plan.row_total, bytes: only.export_plan.byte_total }),
          would_be_refused_with: only.would_be_refused_with,
          quotes: quotes.map(({ estimate: one }) => ({
            route: `${one.method} ${one.route}`,
            credits_at_most: one.estimated_market_state_credit_cost,
            export_credits_at_most: one.estimated_export_credit_cost,
            basis: one.estimate_basis,
          })),
        },
        lists: ['quotes'],
      };
    },
  });
}

const orderInput = z.strictObject({
  dataset: z.enum(DATASETS as readonly [Dataset, ...Dataset[]]),
  symbols: z.array(symbol).min(1).max(20),
  from: instant,
  to: instant,
  format: z.enum(['parquet', 'csv', 'ndjson']).default('parquet'),
  tf: z
    .enum(TIMEFRAME_NAMES as readonly [Timeframe, ...Timeframe[]])
    .optional()
    .describe('For candles.'),
  quote_id: z.string().min(1).max(2_000).describe('From estimate_cost with the same arguments.'),
  confirm: z.literal(true).describe('true, once the person who pays has agreed.'),
  detail,
});
type OrderArgs = z.output<typeof orderInput>;

export const createExport = defineTool({
  name: 'create_export',
  title: 'Order an export',
  description:
    'Orders an export of rows at its quoted price, after confirmation; ready minutes later. Cost: export credits, as quoted, at most 1 ' +
    'plus 1 per 100,000 rows or part of it per symbol.',
  input: orderInput,
  output: { job: object, export_credits_at_most: number, result_route: text },
  orders: true,
  calls: (args) => [{ id: 'createExportJob', params: orderOf(args) }],
  async run(run, args) {
    const { quote_id: quoteId } = args;
    const job = await run.ask((_ms, options) => run.session.orders.exports.create(orderOf(args), { ...options, quoteId }));
    return {
      of: [job],
      asOfUtc: job.created_at_utc,
      fields: {
        job: pick(job, 'job_id', 'status', 'row_total', 'byte_total', 'created_at_utc'),
        export_credits_at_most: job.estimated_export_credit_cost,
        result_route: job.routes.result,
      },
      lists: [],
    };
  },
});

function orderOf({ quote_id: _quoteId, confirm: _confirm, detail: _detail, ...order }: OrderArgs): NonNullable<Params<'createExportJob'>> {
  return order;
}
