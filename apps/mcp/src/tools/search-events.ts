import type { Schemas } from '@market-state/client';
import { z } from 'zod';
import { cursor, defineTool, instant, list, metered, number, type PlannedCall, symbol } from './tool';
import { eventClass, packetLimit, severityClass, state } from './words';

type Found = Schemas['FoundCompactPacket'];

const input = z.strictObject({
  q: z.string().max(200).optional().describe('Words that all occur in state, tags or reasons.'),
  symbol: symbol.optional().describe('All, if absent.'),
  state,
  event_class: eventClass,
  severity_class: severityClass,
  tag: z
    .array(z.string().regex(/^[a-z0-9_]{1,64}(:[a-z0-9_]{1,64}){1,2}$/, 'must look like depth:ask_heavy_top5:hot'))
    .max(16)
    .optional(),
  from: instant.optional(),
  to: instant.optional(),
  limit: packetLimit(25),
  cursor,
  ...metered,
});
type Args = z.output<typeof input>;

export const searchEvents = defineTool({
  name: 'search_events',
  title: 'When something occurred',
  description: 'Packets that match words, states, classes or tags, newest first. Cost: 1 credit and 1 for every 25 packets begun.',
  input,
  output: { match_total: number, matches: list },
  calls: (args): readonly PlannedCall[] => [{ id: 'searchEvents', params: paramsOf(args) }],
  cheaper: (args) => (args.limit > 25 ? { tool: 'search_events', arguments: { ...asked(args), limit: 25 } } : null),
  async run(run, args) {
    const answer = await run.ask((ms, options) => ms.events.search(paramsOf(args), options));
    const rows = answer.rows as readonly Found[];
    const { next_cursor: further } = answer;
    return {
      of: [answer],
      asOfUtc: answer.as_of_utc,
      gapFlags: rows.flatMap((row) => row.gap_flags),
      fields: { match_total: rows.length, matches: rows.map(args.detail === 'full' ? wholeMatch : shortMatch) },
      lists: ['matches'],
      rest: ({ matches = 0 }) => {
        const [first, last] = [rows[0], rows[matches]];
        const to = last === undefined || first === undefined ? {} : { to: new Date(Date.parse(last.window_end_utc) + 1).toISOString() };
        return { tool: 'search_events', arguments: { ...asked(args), ...to, limit: Math.max(1, rows.length - matches) } };
      },
      ...(further === null ? {} : { next: { tool: 'search_events', arguments: { ...asked(args), cursor: further } } }),
    };
  },
});

function paramsOf({ detail: _detail, dry_run: _dryRun, symbol: one, ...params }: Args) {
  return { ...params, symbol: one ?? 'ALL', view: 'compact' as const };
}

function asked({ cursor: _cursor, dry_run: _dryRun, ...args }: Args) {
  return args;
}

function shortMatch({ symbol: of, window_end_utc, state: published, event_class, severity, event_id }: Found) {
  return { symbol: of, window_end_utc, state: published, event_class, severity: severity.score, event_id };
}

function wholeMatch(row: Found) {
  const { headline, one_reason, one_against, winner_state, state_margin, gap_flags, response_state, match } = row;
  const confidence = row.confidence.score;
  const severity_class = row.severity.severity_class;
  const further = { severity_class, confidence, winner_state, margin: state_margin, headline, one_reason, one_against };
  return { ...shortMatch(row), ...further, gap_flags, response_state, match };
}
