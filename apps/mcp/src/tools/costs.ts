import { z } from 'zod';
import { type Tool, defineTool, detail, list, number, quoteFor, text, readArguments, object } from './tool';

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
        balances: answer.balances.map(({ credit_kind, available, held, spent_today }) => ({ credit_kind, available, held, spent_today })),
        credit_ceiling: answer.credit_ceiling,
        ...(budgetLeft === null ? {} : { process_ceiling: { left: budgetLeft } }),
        spend: requested === 'full' ? answer.spend : answer.spend_by_family,
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
