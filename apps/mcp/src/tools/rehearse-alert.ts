import type { Params } from '@market-state/client';
import { z } from 'zod';
import { pick } from '../findings';
import { defineTool, instant, list, metered, number, object, symbol, text } from './tool';

const KINDS =
  'state_changed, state_is, severity_at_least, event_class_is, score_change, tag_added, feed_stale or liquidity_mirage_score_change';

const input = z.strictObject({
  symbols: z.array(symbol).min(1).max(20),
  rule: z
    .strictObject({
      kind: z.string().regex(/^[a-z_]{1,32}$/, `must be ${KINDS}`),
      params: z.record(z.string(), z.unknown()).optional(),
      cooldown_seconds: z.int().min(0).max(86_400).optional(),
      min_consecutive: z.int().min(1).max(100).optional(),
    })
    .describe(`kind: ${KINDS}; params such as {"states":["depth_watch"]}.`),
  from: instant.optional(),
  to: instant.optional(),
  ...metered,
});
type Args = z.output<typeof input>;

export const rehearseAlert = defineTool({
  name: 'rehearse_alert',
  title: 'Test an alert rule on history',
  description:
    'How often a rule would have fired, recovered and flapped over stored packets, by default the last day, and the cost of its ' +
    'deliveries. Nothing is saved. Cost: 1 credit.',
  input,
  output: { from_utc: text, to_utc: text, packet_total: number, outcomes: list, notices: list, would_have_cost: object },
  calls: (args) => [{ id: 'rehearseAlerts', params: paramsOf(args) }],
  async run(run, args) {
    const answer = await run.ask((ms, options) => ms.alerts.rehearse(paramsOf(args), options));
    const notices = answer.rules.flatMap(({ symbol: of, notices: ofRule }) =>
      ofRule.map((notice) => ({ symbol: of, ...pick(notice, 'phase', 'window_end_utc', 'event_id') })),
    );
    return {
      of: [answer],
      asOfUtc: answer.to_utc,
      fields: {
        ...pick(answer, 'from_utc', 'to_utc'),
        packet_total: answer.packets_looked_at,
        would_have_cost: { deliveries: answer.deliveries, credits: answer.market_state_credits },
        outcomes: answer.rules.map((outcome) => ({
          ...pick(outcome, 'symbol', 'triggered', 'recovered', 'flaps', 'suppressed', 'holes', 'state'),
          ...(args.detail === 'full' ? { settings: outcome.settings } : {}),
        })),
        notices,
      },
      lists: ['notices', 'outcomes'],
      rest: () => ({ tool: 'rehearse_alert', arguments: { ...paramsOf(args), rule: args.rule, rules: undefined, detail: 'full' } }),
    };
  },
});

function paramsOf({ symbols, rule, from, to }: Args): Params<'rehearseAlerts'> {
  return { symbols, rules: [rule as Params<'rehearseAlerts'>['rules'][number]], from, to };
}
