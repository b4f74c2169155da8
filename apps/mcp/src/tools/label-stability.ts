import { z } from 'zod';
import { defineTool, instant, list, metered, number, type PlannedCall, symbol, text } from './tool';

const input = z.strictObject({ symbol, from: instant.optional(), to: instant.optional(), ...metered });
type Args = z.output<typeof input>;

export const labelStability = defineTool({
  name: 'label_stability',
  title: 'How steady labels are',
  description:
    'Of a span, the last day if none is given: share and dwell of each state, flips an hour, share near a threshold, agreement of ' +
    'feedback. Cost: at most 5 credits.',
  input,
  output: { from_utc: text, to_utc: text, packet_total: number, flip_total: number, states: list },
  calls: (args): readonly PlannedCall[] => [{ id: 'getLabelStability', params: paramsOf(args) }],
  cheaper: (args) => ({ tool: 'state_history', arguments: { symbol: args.symbol, limit: 25 } }),
  async run(run, args) {
    const answer = await run.ask((ms, options) => ms.labels.stability(paramsOf(args), options));
    const isFull = args.detail === 'full';
    return {
      of: [answer],
      asOfUtc: answer.as_of_utc,
      fields: {
        symbol: answer.symbol,
        from_utc: answer.from_utc,
        to_utc: answer.to_utc,
        packet_total: answer.packet_total,
        flip_total: answer.flip_total,
        flips_per_hour: answer.flips_per_hour,
        near_threshold_share: answer.near_threshold_share,
        states: answer.states.map((one) => ({
          state: one.state,
          share: one.share,
          dwell_seconds: isFull ? one.dwell_seconds : one.dwell_seconds.median,
          flips_per_hour: one.flips_per_hour,
          near_threshold_share: one.near_threshold_share,
          agreement_share: one.feedback.agreement_share,
          ...(isFull ? { span_total: one.span_total, transitions: one.transitions, feedback: one.feedback } : {}),
        })),
      },
      lists: ['states'],
      rest: () => ({ tool: 'label_stability', arguments: { ...paramsOf(args), detail: 'full' } }),
    };
  },
});

function paramsOf({ symbol: one, from, to }: Args) {
  return { symbol: one, from, to };
}
