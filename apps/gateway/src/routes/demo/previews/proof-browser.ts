import { lineageStory, type Story, STORY_RULES, storyCard, type TapeEntry, tapeRow } from '@market-state/packet-views';
import { costOf, plans, WORKLOAD_FAMILIES } from '@market-state/pricing';
import { definitions } from '../../../serving/meta/meta';
import { type Described, type WithoutMeta, openApiDocument } from '../../../serving/openapi/document';
import type { ArchiveDepth, PublicReceipt, StoryEvidence } from './browser-facts';
import { runIdOf } from './construction';
import { type LinkName, previewLinks, routeAccess, routePaths } from './preview-links';
import { PUBLIC_DELAY_SECONDS, TAPE_AGE_SECONDS_MAX } from './tape';
import { operations } from '../../../serving/openapi/operations';

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

function callPriceText(): string {
  const [smallest] = plans;
  const held = smallest?.credits?.market_state;
  return (
    `The newest packet of a symbol costs ${costOf('latest_packet', 1)} ` +
    `credit${held === undefined ? '' : `; the smallest tier includes ${held.toLocaleString('en-US')} a month`}.`
  );
}

type Shown = Described<'ProofStep'>;

interface BrowserFacts {
  readonly symbol: string;
  /** Not empty. */
  readonly entries: readonly TapeEntry[];
  readonly newest: TapeEntry;
  /** In story order; not empty. */
  readonly evidence: readonly [StoryEvidence, ...StoryEvidence[]];
  readonly depth: ArchiveDepth;
  readonly receipts: readonly PublicReceipt[];
  /** Delay of the packets in seconds; 0 if not delayed. */
  readonly delaySeconds: number;
}

interface Step
  extends Pick<
    Shown,
    'browser_step_id' | 'customer_question' | 'client_answer' | 'evidence_state' | 'metrics' | 'next_action' | 'proof_points'
  > {
  readonly links: readonly LinkName[];
}

function counted(total: number, noun: string): string {
  return `${total} ${noun}${total === 1 ? '' : 's'}`;
}

function readStep({ entries, newest, delaySeconds, symbol }: BrowserFacts): Step {
  const { packet } = newest;
  const states = new Set(entries.map((entry) => entry.packet.state)).size;
  const age = delaySeconds === 0 ? 'the newest available' : `at least ${delaySeconds} s old, like everything on this page`;
  return {
    browser_step_id: 'read_market_packet',
    customer_question: 'What does a packet contain?',
    client_answer: `${packet.state_label} for ${symbol} in the window to ${packet.ts}: ${packet.client_readout.read} This packet is ${age}.`,
    evidence_state: delaySeconds === 0 ? 'ready' : 'preview',
    metrics: {
      tape_packet_total: entries.length,
      tape_state_total: states,
      oldest_packet_utc: entries[0]?.packet.ts ?? null,
      newest_packet_utc: packet.ts,
      severity_score: packet.event_severity.score,
      confidence_score: packet.confidence.score,
    },
    next_action: 'Read the rows of the tape, then see how one packet was made.',
    proof_points: [
      packet.client_readout.support,
      `${counted(entries.length, 'packet')} in ${counted(states, 'published state')} on the tape.`,
    ],
    links: ['construction', 'latest', 'packetStream'],
  };
}

function sourceStep({ entries, evidence: [story] }: BrowserFacts): Step {
  const { source_families: families, applied_row_total: applied } = story.sourceWindow;
  const resolved = families.filter(({ status }) => status === 'resolved');
  const others = families.filter(({ status }) => status !== 'resolved');
  const rows = entries.reduce(
    (sum, { packet }) =>
      sum + Object.values(packet.packet_lineage_summary.window_event_totals).reduce<number>((inner, total) => inner + (total ?? 0), 0),
    0,
  );
  const flagged = entries.filter(({ packet }) => packet.packet_quality.gap_flags.length > 0).length;
  return {
    browser_step_id: 'inspect_source_and_capture',
    customer_question: 'What was it made from, and what was missing?',
    client_answer:
      `The packet of the first story was made from ${counted(applied, 'event')} in its window. ${resolved.length} of ` +
      `${families.length} source families were available: ${resolved.map(({ label }) => label).join(', ') || 'none'}.`,
    evidence_state: story.excerpt.length > 0 ? 'ready' : 'held',
    metrics: {
      tape_event_total: rows,
      story_event_total: applied,
      resolved_family_total: resolved.length,
      source_family_total: families.length,
      gap_flagged_packet_total: flagged,
      excerpt_row_total: story.excerpt.length,
    },
    next_action:
      story.excerpt.length > 0
        ? 'Compare the rows of the excerpt with the packet.'
        : applied === 0
          ? 'No events arrived in that window, so it has no rows. Choose another event.'
          : 'The rows of that window are no longer retained. Choose a more recent event.',
    proof_points: [
      ...others.map(({ label, status, reason }) => `${label} ${status}: ${reason.replaceAll('_', ' ')}.`),
      `${flagged} of ${entries.length} packets on the tape have a gap flag.`,
    ],
    links: ['freshness', 'gaps', 'featureQuality', 'rows'],
  };
}

function replayStep({ entries, evidence: [story] }: BrowserFacts): Step {
  const verified = entries.filter((entry) => entry.verified).length;
  const { source_window_status: status, applied_row_total: applied, retained_row_total: retained } = story.sourceWindow;
  const whole = (applied === 0 || status === 'evidence_attached') && verified === entries.length;
  const rows =
    applied === 0
      ? 'No events arrived in the window of the first story'
      : `${retained} of the ${counted(applied, 'event')} behind the packet of the first story are retained`;
  return {
    browser_step_id: 'replay_the_event',
    customer_question: 'Can the event be replayed, row by row?',
    client_answer:
      `${rows}, and ${verified} of ` +
      `${counted(entries.length, 'packet')} on the tape match their stored digests and link to the previous packet in the chain.`,
    evidence_state: whole ? 'ready' : 'held',
    metrics: {
      verified_packet_total: verified,
      tape_packet_total: entries.length,
      applied_row_total: applied,
      retained_row_total: retained,
      source_window_status: status,
    },
    next_action: whole
      ? 'Replay the window with a key, or have the packet recomputed and compared.'
      : 'Choose an event whose rows are all retained, or read the retained rows of this one.',
    proof_points: [
      'A replay ends with a receipt that states if it is complete.',
      'The same events and the same policy produce the same packet, with the same digest.',
    ],
    links: ['replay', 'rows', 'evidence', 'verify', 'postmortem'],
  };
}

function historyStep({ depth }: BrowserFacts): Step {
  const live = depth.live_owned_archive_hour_total;
  const total = live + depth.recorded_archive_hour_total + depth.synthetic_archive_hour_total;
  return {
    browser_step_id: 'check_historical_boundaries',
    customer_question: 'How far back does the data go?',
    client_answer:
      `${counted(total, 'hour')} of rows are archived, ${live} of them captured live by this ` +
      `installation${total > live ? '; the others come from a recording or a simulated venue' : ''}. ` +
      `${depth.stored_row_total.toLocaleString('en-US')} rows are stored in total.`,
    evidence_state: total > 0 ? 'ready' : 'held',
    metrics: depth,
    next_action:
      total > 0
        ? 'Read the catalog for the first and last time of each channel.'
        : 'An hour is archived once it has ended and all its rows are stored. Until then, rows are read from the database.',
    proof_points: [
      `Rows are retained for ${String(depth.hot_day_total)} days in the database and for ${String(depth.archive_day_total)} days in the archive.`,
      'Data that was not captured cannot be obtained later: the archive claims nothing from before this installation started.',
    ],
    links: ['catalog', 'history', 'replay'],
  };
}

function workflowStep({ newest }: BrowserFacts): Step {
  const automation = operations.filter(({ path }) => /\/(watchlists|webhooks|alerts|saved-searches)(\/|$)/.test(path));
  return {
    browser_step_id: 'route_to_workflow',
    customer_question: 'Where can packets be sent?',
    client_answer:
      'Read packets from a stream or one call at a time, and send feedback on their labels. ' +
      'Watchlists, alerts and webhooks deliver them to other systems.',
    evidence_state: 'ready',
    metrics: {
      automation_operation_total: automation.length,
      newest_packet_severity_class: newest.packet.event_severity.severity_class,
    },
    next_action: 'Open the workbench of the event and create a watchlist.',
    proof_points: [
      'Every packet lists its allowed and blocked uses.',
      'Trade execution, profitability claims and investment advice are always blocked uses.',
    ],
    links: ['workbench', 'packetStream', 'feedback', 'joinSpec'],
  };
}

function planStep({ receipts }: BrowserFacts): Step {
  const tiers = plans.filter(({ tier }) => tier !== null).length;
  const controls = Object.keys((openApiDocument.components.schemas['SpendControlsRequest']?.['properties'] ?? {}) as object).length;
  const spent = receipts.reduce((sum, receipt) => sum + receipt.observed_market_state_credit_cost, 0);
  return {
    browser_step_id: 'estimate_plan_and_boundary',
    customer_question: 'What does it cost, and how is spending limited?',
    client_answer:
      `${callPriceText()} A call can be quoted before it is made, and ${controls} spend controls limit spending. ` +
      `${
        receipts.length === 0
          ? 'The demo tenant has no receipts yet.'
          : `The ${counted(receipts.length, 'newest receipt')} of the demo ` +
            `tenant ${receipts.length === 1 ? 'totals' : 'total'} ${counted(spent, 'credit')}.`
      }`,
    evidence_state: 'ready',
    metrics: {
      tier_total: tiers,
      workload_family_total: WORKLOAD_FAMILIES.length,
      spend_control_total: controls,
      receipt_total: receipts.length,
      receipt_market_state_credit_total: spent,
    },
    next_action: 'Request an estimate with a key, or simulate your workload on each tier.',
    proof_points: ['Credits are prepaid: you are never billed beyond them.', 'Failed calls are free.'],
    links: ['sandboxKey', 'estimate', 'usage', 'tiers'],
  };
}

const STEPS = [readStep, sourceStep, replayStep, historyStep, workflowStep, planStep] as const;

const BROWSER_STEP_TOTAL = STEPS.length;

function browserSteps(facts: BrowserFacts, eventId: string, runId: string): Shown[] {
  return STEPS.map((step, index) => {
    const { links: names, ...reported } = step(facts);
    const links = previewLinks({ symbol: facts.symbol, eventId }, names);
    return {
      ...reported,
      row_id: `${runId}_${index + 1}`,
      row_order: index + 1,
      row_type: 'public_proof_browser_step',
      run_id: runId,
      route_paths: routePaths(links),
      route_access: routeAccess(links),
      pre_key_route_total: links.filter(({ access }) => access === 'pre_key').length,
      after_key_route_total: links.filter(({ access }) => access === 'after_key').length,
    };
  });
}

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
