import type { TapeEntry } from '@market-state/packet-views';
import { plans, WORKLOAD_FAMILIES, costOf } from '@market-state/pricing';
import { openApiDocument } from '../../../serving/openapi/document';
import { operations } from '../../../serving/openapi/operations';
import type { ArchiveDepth, PublicReceipt, StoryEvidence } from './browser-facts';
import { type LinkName, previewLinks, routeAccess, routePaths } from './preview-links';
import type { Described } from '../../../serving/openapi/described';

/** What the plainest call costs, and what the smallest tier holds. */
function callPriceText(): string {
  const [smallest] = plans;
  const held = smallest?.credits?.market_state;
  return (
    `The newest packet of a symbol costs ${costOf('latest_packet', 1)} ` +
    `credit${held === undefined ? '' : `; the smallest tier holds ${held.toLocaleString('en-US')} a month`}.`
  );
}

type Shown = Described<'ProofStep'>;

/** What the steps are told from. */
interface BrowserFacts {
  readonly symbol: string;
  /** Not empty. */
  readonly entries: readonly TapeEntry[];
  readonly newest: TapeEntry;
  /** Of each story, in their order; not empty. */
  readonly evidence: readonly [StoryEvidence, ...StoryEvidence[]];
  readonly depth: ArchiveDepth;
  readonly receipts: readonly PublicReceipt[];
  /** Seconds by which the packets are delayed; 0: not delayed. */
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
  const age = delaySeconds === 0 ? 'the newest there is' : `at least ${delaySeconds} s old, as everything on this page`;
  return {
    browser_step_id: 'read_market_packet',
    customer_question: 'What does a packet say?',
    client_answer: `${packet.state_label} for ${symbol} in the window to ${packet.ts}: ${packet.client_readout.read} That packet is ${age}.`,
    evidence_state: delaySeconds === 0 ? 'ready' : 'preview',
    metrics: {
      tape_packet_total: entries.length,
      tape_state_total: states,
      oldest_packet_utc: entries[0]?.packet.ts ?? null,
      newest_packet_utc: packet.ts,
      severity_score: packet.event_severity.score,
      confidence_score: packet.confidence.score,
    },
    next_action: 'Read the rows of the tape, then how one packet was made.',
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
    customer_question: 'What was it read from, and what was missing?',
    client_answer:
      `The first story's packet was made from ${counted(applied, 'event')} of its window. ${resolved.length} of ` +
      `${families.length} source families stood behind it: ${resolved.map(({ label }) => label).join(', ') || 'none'}.`,
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
        ? 'Hold the rows of the excerpt against the packet.'
        : applied === 0
          ? 'No event came in that window, so it has no rows; take another event.'
          : 'The rows of that window are no longer kept here; take a newer event.',
    proof_points: [
      ...others.map(({ label, status, reason }) => `${label} ${status}: ${reason.replaceAll('_', ' ')}.`),
      `${flagged} of ${entries.length} packets on the tape carry a gap flag.`,
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
      ? "No event came in the window of the first story's packet"
      : `${retained} of the ${counted(applied, 'event')} behind the first story's packet are kept`;
  return {
    browser_step_id: 'replay_the_event',
    customer_question: 'Can the event be opened again, row for row?',
    client_answer:
      `${rows}, and ${verified} of ` +
      `${counted(entries.length, 'packet')} on the tape have the digest that was stored with them and follow the one before in the chain.`,
    evidence_state: whole ? 'ready' : 'held',
    metrics: {
      verified_packet_total: verified,
      tape_packet_total: entries.length,
      applied_row_total: applied,
      retained_row_total: retained,
      source_window_status: status,
    },
    next_action: whole
      ? 'Replay the window with a key, or have the packet made again and compared.'
      : 'Choose an event whose rows are all kept, or read what is kept of this one.',
    proof_points: [
      'A replay ends with a receipt that says whether it is whole.',
      'The same events and the same policy give the same packet, digest for digest.',
    ],
    links: ['replay', 'rows', 'evidence', 'verify', 'postmortem'],
  };
}

function historyStep({ depth }: BrowserFacts): Step {
  const live = depth.live_owned_archive_hour_total;
  const total = live + depth.recorded_archive_hour_total + depth.synthetic_archive_hour_total;
  return {
    browser_step_id: 'check_historical_boundaries',
    customer_question: 'How far back does it go?',
    client_answer:
      `${counted(total, 'hour')} of rows are archived, ${live} of them captured live by this ` +
      `installation${total > live ? '; the others come from a recording or a simulated venue' : ''}. ` +
      `${depth.stored_row_total.toLocaleString('en-US')} rows are kept in all.`,
    evidence_state: total > 0 ? 'ready' : 'held',
    metrics: depth,
    next_action:
      total > 0
        ? 'Read the catalog for the first and last time of each channel.'
        : 'The first hour is archived once it is over and every row of it is stored; until then rows are read from the database.',
    proof_points: [
      `Rows stay in the database for ${String(depth.hot_day_total)} days and in the archive for ${String(depth.archive_day_total)}.`,
      'What was not captured cannot be bought back: nothing from before this installation began is claimed.',
    ],
    links: ['catalog', 'history', 'replay'],
  };
}

function workflowStep({ newest }: BrowserFacts): Step {
  const automation = operations.filter(({ path }) => /\/(watchlists|webhooks|alerts|saved-searches)(\/|$)/.test(path));
  return {
    browser_step_id: 'route_to_workflow',
    customer_question: 'Where can a packet go from here?',
    client_answer:
      'Packets come as a stream or by call, and readers answer with feedback on labels. ' +
      'Watchlists, alerts and webhooks carry them further.',
    evidence_state: 'ready',
    metrics: {
      automation_operation_total: automation.length,
      newest_packet_severity_class: newest.packet.event_severity.severity_class,
    },
    next_action: 'Open the workbench of the event and set a watchlist.',
    proof_points: [
      'Every packet says which uses it is fit for and which are blocked.',
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
    customer_question: 'What would it cost, and where does it stop?',
    client_answer:
      `${callPriceText()} A call can be quoted before it is made, and ${controls} spend controls stop it. ` +
      `${
        receipts.length === 0
          ? 'The demo tenant has no receipt yet.'
          : `The ${counted(receipts.length, 'newest receipt')} of the demo ` +
            `tenant ${receipts.length === 1 ? 'comes' : 'come'} to ${counted(spent, 'credit')}.`
      }`,
    evidence_state: 'ready',
    metrics: {
      tier_total: tiers,
      workload_family_total: WORKLOAD_FAMILIES.length,
      spend_control_total: controls,
      receipt_total: receipts.length,
      receipt_market_state_credit_total: spent,
    },
    next_action: 'Ask for an estimate with a key, or simulate your workload on the tiers.',
    proof_points: ['Credits are prepaid: nothing is billed beyond them.', 'A call that fails costs nothing.'],
    links: ['sandboxKey', 'estimate', 'usage', 'tiers'],
  };
}

const STEPS = [readStep, sourceStep, replayStep, historyStep, workflowStep, planStep] as const;

export const BROWSER_STEP_TOTAL = STEPS.length;

/** The steps of the proof browser. */
export function browserSteps(facts: BrowserFacts, eventId: string, runId: string): Shown[] {
  return STEPS.map((step, index) => {
    const { links: names, ...told } = step(facts);
    const links = previewLinks({ symbol: facts.symbol, eventId }, names);
    return {
      ...told,
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
