import type { Params } from '@market-state/client';
import { type Dataset, DATASETS, type Timeframe, TIMEFRAME_NAMES } from '@market-state/export-schema';
import { z } from 'zod';
import { defineTool, detail, instant, number, object, type PlannedCall, symbol, text } from './tool';

const input = z.strictObject({
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
type Args = z.output<typeof input>;

export const createExport = defineTool({
  name: 'create_export',
  title: 'Order an export',
  description:
    'Orders an export of rows at its quoted price, after confirmation; ready minutes later. Cost: export credits, as quoted, at most 1 ' +
    'plus 1 per 100,000 rows or part of it per symbol.',
  input,
  output: { job: object, export_credits_at_most: number, result_route: text },
  orders: true,
  calls: (args): readonly PlannedCall[] => [{ id: 'createExportJob', params: orderOf(args) }],
  cheaper: () => null,
  async run(run, args) {
    const { quote_id: quoteId } = args;
    const job = await run.ask((_ms, options) => run.session.orders.exports.create(orderOf(args), { ...options, quoteId }));
    const { job_id, status, row_total, byte_total, created_at_utc } = job;
    return {
      of: [job],
      asOfUtc: created_at_utc,
      fields: {
        job: { job_id, status, row_total, byte_total, created_at_utc },
        export_credits_at_most: job.estimated_export_credit_cost,
        result_route: job.routes.result,
      },
      lists: [],
    };
  },
});

function orderOf({ quote_id: _quoteId, confirm: _confirm, detail: _detail, ...order }: Args): NonNullable<Params<'createExportJob'>> {
  return order;
}
