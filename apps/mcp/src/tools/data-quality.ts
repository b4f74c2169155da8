import { z } from 'zod';
import { defineTool, detail, list, symbol } from './tool';

const input = z.strictObject({ symbol, detail });

export const dataQuality = defineTool({
  name: 'data_quality',
  title: 'How good the data of a market is',
  description:
    'Of each channel: freshness against its limit, gaps of a day, share of time covered, since when rows are kept, or why there are none. ' +
    'Cost: free.',
  input,
  output: { channels: list, newest_packet: { type: ['object', 'null'] } },
  async run(run, { symbol: one, detail: asked }) {
    const [freshness, quality, catalog] = await Promise.all([
      run.ask((ms, options) => ms.data.freshness({ symbol: one }, options)),
      run.ask((ms, options) => ms.status.sourceQuality(options)),
      run.ask((ms, options) => ms.catalog.get({}, options)),
    ]);
    const told = quality.symbols.find((row) => row.symbol === one);
    const kept = catalog.symbols.find((row) => row.symbol === one);
    const channels = freshness.channels.map((fresh) => {
      const measured = told?.channels.find(({ channel }) => channel === fresh.channel);
      const stored = kept?.channels.find(({ channel }) => channel === fresh.channel);
      const short = {
        channel: fresh.channel,
        state: fresh.state,
        freshness_ms: fresh.freshness_ms,
        staleness_limit_ms: fresh.staleness_limit_ms,
        quality: measured?.quality_class ?? null,
        covered_share: measured?.covered_share ?? null,
        gap_total: measured?.gap_total ?? null,
        gap_seconds: measured?.gap_seconds ?? null,
        kept_since_utc: stored?.first_time_utc ?? null,
        ...(fresh.absence === null ? {} : { absence: fresh.absence }),
      };
      if (asked === 'concise') return short;
      return { ...short, measured: measured ?? null, row_total: stored?.row_total ?? null, last_utc: stored?.last_time_utc ?? null };
    });
    return {
      of: [freshness],
      asOfUtc: freshness.as_of_utc,
      fields: { symbol: one, venue: freshness.venue, channels, newest_packet: told?.newest_packet ?? null },
      lists: ['channels'],
      rest: () => ({ tool: 'data_quality', arguments: { symbol: one, detail: 'full' } }),
    };
  },
});
