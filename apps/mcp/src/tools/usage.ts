import { z } from 'zod';
import { defineTool, detail, list, object } from './tool';

const input = z.strictObject({ receipts: z.int().min(1).max(100).default(5).describe('How many of the newest receipts.'), detail });

export const usage = defineTool({
  name: 'usage',
  title: 'What is left, and what was spent',
  description: "Balances of the tenant, the key's credit ceiling, what calls cost by family and day, the newest receipts. Cost: free.",
  input,
  output: { balances: list, credit_ceiling: { type: ['object', 'null'] }, spend: list, receipts: list, process_ceiling: object },
  async run(run, { receipts, detail: asked }) {
    const answer = await run.ask((ms, options) => ms.usage.get({ limit: receipts }, options));
    const { budgetLeft } = run.session.ms;
    return {
      of: [answer],
      asOfUtc: answer.to_utc,
      fields: {
        balances: answer.balances.map(({ credit_kind, available, held, spent_today }) => ({ credit_kind, available, held, spent_today })),
        credit_ceiling: answer.credit_ceiling,
        ...(budgetLeft === null ? {} : { process_ceiling: { left: budgetLeft } }),
        spend: asked === 'full' ? answer.spend : answer.spend_by_family,
        receipts: answer.receipts.map((one) => ({
          receipt_id: one.receipt_id,
          served_at_utc: one.served_at_utc,
          endpoint: one.endpoint,
          credits: one.observed_market_state_credit_cost,
          export_credits: one.observed_export_credit_cost,
        })),
      },
      lists: ['spend', 'receipts'],
      rest: () => ({ tool: 'usage', arguments: { receipts, detail: 'full' } }),
    };
  },
});
