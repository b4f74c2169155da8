import { lineageStory, type Story, STORY_RULES, storyCard, type TapeEntry, tapeRow } from '@market-state/packet-views';
import { definitions } from '../../../serving/meta/meta';
import type { Described, WithoutMeta } from '../../../serving/openapi/document';
import { BROWSER_STEP_TOTAL, browserSteps } from './browser-steps';
import type { ArchiveDepth, PublicReceipt, StoryEvidence } from './browser-facts';
import { runIdOf } from './construction';
import { type LinkName, previewLinks, routeAccess, routePaths } from './preview-links';
import { PUBLIC_DELAY_SECONDS, TAPE_AGE_SECONDS_MAX } from './tape';

/** Four minutes of tape. */
const TAPE_ROWS_SHOWN = 24;

const STORY_LINKS: readonly LinkName[] = ['construction', 'evidence', 'workbench', 'postmortem', 'verify', 'joinSpec'];
const ROW_LINKS: readonly LinkName[] = ['evidence', 'workbench'];

function linksOf({ packet }: TapeEntry, names: readonly LinkName[]) {
  const links = previewLinks({ symbol: packet.symbol, eventId: packet.event_id }, names);
  return { route_paths: routePaths(links), route_access: routeAccess(links) };
}

/** Newest first. */
function tapeRows(entries: readonly TapeEntry[]): Described<'TapeRow'>[] {
  return entries
    .slice(-TAPE_ROWS_SHOWN)
    .reverse()
    .map((entry) => ({ ...tapeRow(entry), ...linksOf(entry, ROW_LINKS) }));
}

/** The delayed tape, the same for every reader. */
export function publicTape(entries: readonly TapeEntry[]): Described<'PublicPacketTape'> {
  const rows = tapeRows(entries);
  return {
    status: 'preview',
    row_total: rows.length,
    rows,
    points: entries.map(({ packet }) => ({
      event_id: packet.event_id,
      event_time_utc: packet.ts,
      state: packet.state,
      mid_price: packet.reference_prices.mid_price,
    })),
    tape_packet_total: entries.length,
    minimum_delay_seconds: PUBLIC_DELAY_SECONDS,
    max_age_seconds: TAPE_AGE_SECONDS_MAX,
    preview_scope: 'delayed_public_packet_tape_only',
    full_packet_access: 'requires_api_plan_key',
    latest_live_api_access: 'none_before_key',
  };
}

/** The tape for callers with a key. */
export function currentTape(entries: readonly TapeEntry[]): Described<'PacketTape'> {
  const rows = tapeRows(entries);
  return { status: 'ready', row_total: rows.length, rows, tape_packet_total: entries.length };
}

const EXACTNESS = {
  statement:
    'Packet values are exact: they are those of the stored packets. Excerpt rows are a bounded selection of the stored rows, ' +
    'shown as stored. Averages over packets are rounded to six decimals.',
  exact: ['packet fields', 'window times', 'transitions', 'row totals of windows'],
  bounded: ['timeline rows', 'book levels', 'rows of the excerpt'],
} as const;

export interface ScenarioStory {
  readonly story: Story;
  readonly evidence: StoryEvidence;
}

function fullStory({ story, evidence }: ScenarioStory): Described<'LineageStory'> {
  return {
    ...lineageStory(story, definitions),
    story_rule_meaning: STORY_RULES[story.rule],
    ...evidence.sourceWindow,
    provider_tape_excerpt_rows: evidence.excerpt,
    ...linksOf(story.event, STORY_LINKS),
    exactness_boundary: EXACTNESS,
  };
}

export interface BrowserSource {
  readonly symbol: string;
  readonly entries: readonly [TapeEntry, ...TapeEntry[]];
  readonly stories: readonly [ScenarioStory, ...ScenarioStory[]];
  readonly depth: ArchiveDepth;
  readonly receipts: readonly PublicReceipt[];
  readonly delaySeconds: number;
  readonly generatedAtUtc: string;
}

type RestoredBrowser = Omit<
  WithoutMeta<'ProofBrowser'>,
  | 'status'
  | 'release_state'
  | 'requires_api_key'
  | 'metered'
  | 'fresh_until_utc'
  | 'credit_spend_receipts_state'
  | 'public_packet_tape'
  | 'packet_tape'
>;

export function proofBrowser({ symbol, entries, stories, depth, receipts, delaySeconds, generatedAtUtc }: BrowserSource): RestoredBrowser {
  const newest = entries.at(-1) ?? entries[0];
  const [first, ...others] = stories;
  const runId = runIdOf('proof_browser', newest.packet.event_id);
  const rows = browserSteps(
    { symbol, entries, newest, evidence: [first.evidence, ...others.map(({ evidence }) => evidence)], depth, receipts, delaySeconds },
    first.story.event.packet.event_id,
    runId,
  );
  return {
    run_id: runId,
    symbol,
    generated_at_utc: generatedAtUtc,
    row_total: BROWSER_STEP_TOTAL,
    rows,
    buyer_event_story_cards: stories.map(({ story }) => ({
      ...storyCard(story),
      story_rule_meaning: STORY_RULES[story.rule],
      ...linksOf(story.event, STORY_LINKS),
    })),
    event_story_packets: stories.map(({ evidence }) => evidence.shown),
    credit_spend_receipts: receipts,
    public_packet_lineage_stories: stories.map(fullStory),
    ...depth,
  };
}
