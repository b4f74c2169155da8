import { z } from 'zod';
import { pick } from '../findings';
import { defineTool, detail, list, symbol, instant, metered, number, text } from './tool';

const stabilityInput = z.strictObject({ symbol, from: instant.optional(), to: instant.optional(), ...metered });
type Args = z.output<typeof stabilityInput>;

export const labelStability = defineTool({
  name: 'label_stability',
  title: 'Label stability',
  description:
    'For a span, by default the last day: share and dwell time of each state, flips per hour, share near a threshold, agreement with ' +
    'feedback. Cost: at most 5 credits.',
  input: stabilityInput,
  output: { from_utc: text, to_utc: text, packet_total: number, flip_total: number, states: list },
  calls: (args) => [{ id: 'getLabelStability', params: paramsOf(args) }],
  cheaper: (args) => ({ tool: 'state_history', arguments: { symbol: args.symbol, limit: 25 } }),
  async run(run, args) {
    const answer = await run.ask((ms, options) => ms.labels.stability(paramsOf(args), options));
    const isFull = args.detail === 'full';
    return {
      of: [answer],
      asOfUtc: answer.as_of_utc,
      fields: {
        ...pick(answer, 'symbol', 'from_utc', 'to_utc', 'packet_total', 'flip_total', 'flips_per_hour', 'near_threshold_share'),
        states: answer.states.map((one) => ({
          ...pick(one, 'state', 'share'),
          dwell_seconds: isFull ? one.dwell_seconds : one.dwell_seconds.median,
          ...pick(one, 'flips_per_hour', 'near_threshold_share'),
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

const input = z.strictObject({ symbol, detail });

export const dataQuality = defineTool({
  name: 'data_quality',
  title: 'Data quality of a market',
  description:
    'Per channel: freshness against its limit, gaps in the last day, share of time covered, start of stored rows, or why there are none. ' +
    'Cost: free.',
  input,
  output: { channels: list, newest_packet: { type: ['object', 'null'] } },
  async run(run, { symbol: one, detail: requested }) {
    const [freshness, quality, catalog] = await Promise.all([
      run.ask((ms, options) => ms.data.freshness({ symbol: one }, options)),
      run.ask((ms, options) => ms.status.sourceQuality(options)),
      run.ask((ms, options) => ms.catalog.get({}, options)),
    ]);
    const rated = quality.symbols.find((row) => row.symbol === one);
    const kept = catalog.symbols.find((row) => row.symbol === one);
    const channels = freshness.channels.map((fresh) => {
      const measured = rated?.channels.find(({ channel }) => channel === fresh.channel);
      const stored = kept?.channels.find(({ channel }) => channel === fresh.channel);
      const short = {
        ...pick(fresh, 'channel', 'state', 'freshness_ms', 'staleness_limit_ms'),
        quality: measured?.quality_class ?? null,
        covered_share: measured?.covered_share ?? null,
        gap_total: measured?.gap_total ?? null,
        gap_seconds: measured?.gap_seconds ?? null,
        kept_since_utc: stored?.first_time_utc ?? null,
        ...(fresh.absence === null ? {} : { absence: fresh.absence }),
      };
      if (requested === 'concise') return short;
      return { ...short, measured: measured ?? null, row_total: stored?.row_total ?? null, last_utc: stored?.last_time_utc ?? null };
    });
    return {
      of: [freshness],
      asOfUtc: freshness.as_of_utc,
      fields: { symbol: one, venue: freshness.venue, channels, newest_packet: rated?.newest_packet ?? null },
      lists: ['channels'],
      rest: () => ({ tool: 'data_quality', arguments: { symbol: one, detail: 'full' } }),
    };
  },
});
