import type { Packet } from '@market-state/labeler';
import { LABELLED_COMPOSITES, rankedCandidates, scoreWords, termGroups } from './decision-words';
import { levelWords } from './figure-parts';
import { labelOf, originOf, utcText } from './figure-words';
import { numberText, scoreText } from './number-text';
import { boundsWords, confidenceParts, confidenceWords, counterevidence, packetFacts, severityWords, winnerWords } from './packet-facts';

/** All that `packetFigure` draws, as Markdown: tables of its numbers, lists of its sentences. */
export function packetTable(packet: Packet): string {
  const { composites, winner_state: winner } = packet.state_decision_trace;
  const { rule, sum } = scoreWords(packet);
  return [
    `**${cell(packet.client_readout.headline)}** ${originOf(packet)}; the ten seconds to ${utcText(packet.ts)}.`,
    table(
      ['What', 'Value'],
      [
        ['State', `${packet.state_label}. ${winnerWords(packet)}`],
        ['Severity', `${severityWords(packet)}. ${boundsWords(packet)}`],
        ['Confidence', `${confidenceWords(packet)}. ${confidenceParts(packet)}`],
        ...packetFacts(packet),
      ],
    ),
    table(
      ['Score', 'Value', 'Watch', 'Elevated'],
      LABELLED_COMPOSITES.map(([name, label]) => {
        const trace = composites[name];
        return [label, levelWords(trace), numberText(trace.watch), numberText(trace.elevated)];
      }),
    ),
    table(
      ['Candidate', 'Score', 'Outcome'],
      rankedCandidates(packet).map(({ state, score, outcome }) => [labelOf('states', state), scoreText(score), outcome]),
    ),
    `${labelOf('states', winner)} wins: ${rule}.${sum === '' ? '' : ` Here: ${sum}.`}`,
    table(
      ['Of', 'Term', 'Value'],
      termGroups(packet).flatMap(({ title, rows }) => rows.map(({ meaning, value }) => [title, meaning, value])),
    ),
    list('What speaks against it', counterevidence(packet)),
    list('What would end it', packet.client_reason_summary.invalidation_conditions),
  ].join('\n\n');
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const written = [head, head.map(() => '---'), ...rows].map((row) => `| ${row.map(cell).join(' | ')} |`);
  return written.join('\n');
}

function list(title: string, sentences: readonly string[]): string {
  return `${title}:\n\n${sentences.map((each) => `- ${each}`).join('\n')}`;
}

/** A cell's text must not end the cell. */
function cell(text: string): string {
  return text.replaceAll('|', '\\|');
}
