import type { Schemas, Params } from '@market-state/client';
import { z } from 'zod';
import { pick } from '../findings';
import { cursor, defineTool, instant, list, metered, number, symbol, text } from './tool';

type Search = Params<'searchEvents'>;

/** The service checks the word and lists the valid ones. */
function word<T extends string>() {
  return z
    .string()
    .regex(/^[a-z0-9_]{1,64}$/, 'must be a lower-case word such as depth_watch')
    .transform((text) => text as T)
    .optional();
}

const state = word<NonNullable<Search['state']>>();
const eventClass = word<NonNullable<Search['event_class']>>();
const severityClass = word<NonNullable<Search['severity_class']>>();

function packetLimit(usual: number) {
  return z.int().min(1).max(1_000).default(usual);
}

type Found = Schemas['FoundCompactPacket'];

const searchInput = z.strictObject({
  q: z.string().max(200).optional().describe('Words that all occur in state, tags or reasons.'),
  symbol: symbol.optional().describe('Default: all.'),
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
type SearchArgs = z.output<typeof searchInput>;

export const searchEvents = defineTool({
  name: 'search_events',
  title: 'Find events',
  description: 'Packets that match words, states, classes or tags, newest first. Cost: 1 credit plus 1 per 25 packets or part of it.',
  input: searchInput,
  output: { match_total: number, matches: list },
  calls: (args) => [{ id: 'searchEvents', params: searchParams(args) }],
  cheaper: (args) => (args.limit > 25 ? { tool: 'search_events', arguments: { ...repeatableArguments(args), limit: 25 } } : null),
  async run(run, args) {
    const answer = await run.ask((ms, options) => ms.events.search(searchParams(args), options));
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
        return { tool: 'search_events', arguments: { ...repeatableArguments(args), ...to, limit: Math.max(1, rows.length - matches) } };
      },
      ...(further === null ? {} : { next: { tool: 'search_events', arguments: { ...repeatableArguments(args), cursor: further } } }),
    };
  },
});

function searchParams({ detail: _detail, dry_run: _dryRun, symbol: one, ...params }: SearchArgs) {
  return { ...params, symbol: one ?? 'ALL', view: 'compact' as const };
}

function shortMatch(row: Found) {
  return { ...pick(row, 'symbol', 'window_end_utc', 'state', 'event_class'), severity: row.severity.score, event_id: row.event_id };
}

function wholeMatch(row: Found) {
  const { headline, one_reason, one_against, winner_state, state_margin, gap_flags, response_state, match } = row;
  const confidence = row.confidence.score;
  const severity_class = row.severity.severity_class;
  const further = { severity_class, confidence, winner_state, margin: state_margin, headline, one_reason, one_against };
  return { ...shortMatch(row), ...further, gap_flags, response_state, match };
}

const input = z.strictObject({
  symbol,
  from: instant.optional(),
  to: instant.optional(),
  state,
  event_class: eventClass,
  limit: packetLimit(100),
  cursor,
  ...metered,
});
type Args = z.output<typeof input>;

const LISTS = ['packets', 'transitions', 'spans'];

const PACKET_MS = 10_000;

export const stateHistory = defineTool({
  name: 'state_history',
  title: 'States over time',
  description:
    'Duration and successor of each state, oldest first, of the newest packets unless from is given; with detail full also each ' +
    'packet. ' +
    'Cost: 1 credit plus 1 per 25 packets or part of it.',
  input,
  output: { from_utc: text, to_utc: { type: ['string', 'null'] }, packet_total: number, spans: list, transitions: list, packets: list },
  calls: (args) => [{ id: 'listHistory', params: paramsOf(args, Date.now()) }],
  cheaper: (args) => (args.limit > 25 ? { tool: 'state_history', arguments: { ...repeatableArguments(args), limit: 25 } } : null),
  async run(run, args) {
    const answer = await run.ask((ms, options) => ms.history.get(paramsOf(args, Date.now() - run.session.delayMs), options));
    const rows = answer.rows as readonly Schemas['HistoryRow'][];
    const { next_cursor: further } = answer;
    return {
      of: [answer],
      asOfUtc: answer.as_of_utc,
      gapFlags: rows.flatMap((row) => row.gap_flags),
      fields: {
        ...pick(answer, 'symbol', 'from_utc', 'to_utc'),
        packet_total: answer.row_total,
        spans: answer.state_spans.map((span) => pick(span, 'state', 'from_utc', 'to_utc', 'dwell_seconds', 'ends_with')),
        transitions: answer.transitions.map((move) => ({
          at_utc: move.event_time_utc,
          ...pick(move, 'from_state', 'to_state', 'event_id'),
        })),
        ...(args.detail === 'full' ? { packets: rows.map(packetOf) } : {}),
      },
      lists: LISTS,
      newestLast: isForward(args, answer) ? [] : LISTS,
      rest: ({ packets = 0 }) => ({ tool: 'state_history', arguments: restOf(args, answer, packets) }),
      ...(further === null ? {} : { next: { tool: 'state_history', arguments: { ...repeatableArguments(args), cursor: further } } }),
    };
  },
});

function paramsOf({ detail: _detail, dry_run: _dryRun, ...params }: Args, newestMs: number) {
  const { from, to, cursor: further, limit } = params;
  const isOpen = from === undefined && to === undefined && further === undefined;
  const start = isOpen ? { from: new Date(newestMs - limit * PACKET_MS).toISOString() } : {};
  return { ...params, ...start, view: 'packet' as const };
}

function repeatableArguments<A extends { readonly cursor?: unknown; readonly dry_run?: unknown }>({
  cursor: _cursor,
  dry_run: _dryRun,
  ...args
}: A) {
  return args;
}

/** Pages run forward, so omitted packets must follow those in the answer. */
function isForward({ detail }: Args, { next_cursor: further }: Schemas['StateHistory']): boolean {
  return detail === 'full' && further !== null;
}

/**
 * The same in full; if it was full, the omitted packets: before the oldest in the answer or, in a longer range, those
 * that follow.
 */
function restOf(args: Args, answer: Schemas['StateHistory'], given: number) {
  const rows = answer.rows as readonly Schemas['HistoryRow'][];
  const fromOf = (at: number) => ({ from: rows[at]?.window_end_utc ?? answer.from_utc });
  if (args.detail === 'concise')
    return { ...repeatableArguments(args), ...(args.cursor === undefined ? {} : { cursor: args.cursor }), detail: 'full' };
  if (isForward(args, answer)) return { ...repeatableArguments(args), limit: Math.min(args.limit, 100), ...fromOf(given) };
  const omitted = rows.length - given;
  const to = rows[omitted]?.window_end_utc;
  return { ...repeatableArguments(args), limit: Math.max(1, omitted), ...fromOf(0), ...(to === undefined ? {} : { to }) };
}

function packetOf(row: Schemas['HistoryRow']) {
  return {
    ...pick(row, 'window_end_utc', 'state', 'winner_state'),
    margin: row.state_margin,
    severity: row.severity_score,
    confidence: row.confidence_score,
    mid_price: row.mid_price,
    ...(row.gap_flags.length === 0 ? {} : { gap_flags: row.gap_flags }),
    event_id: row.event_id,
  };
}
