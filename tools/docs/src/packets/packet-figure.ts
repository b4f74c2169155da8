import type { Packet } from '@market-state/labeler';
import { escape, duration } from '@market-state/packet-figures';
import { LABELLED_COMPOSITES, rankedCandidates, scoreWords, termGroups } from './decision-words';
import { candidateBar, levelWords, markPatterns, meter, scoreBar, swatch } from './figure-parts';
import { labelOf, originOf, POLICY, utcText, numberText, scoreText, capital } from './figure-words';

/** The content of `packetChart` as Markdown. */
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
    list('Counterevidence', counterevidence(packet)),
    list('End conditions', packet.client_reason_summary.invalidation_conditions),
  ].join('\n\n');
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const written = [head, head.map(() => '---'), ...rows].map((row) => `| ${row.map(cell).join(' | ')} |`);
  return written.join('\n');
}

function list(title: string, sentences: readonly string[]): string {
  return `${title}:\n\n${sentences.map((each) => `- ${each}`).join('\n')}`;
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|');
}

const { packet_interval_ms: INTERVAL_MS } = POLICY.numbers.windows;

function packetFacts(packet: Packet): readonly (readonly [name: string, value: string])[] {
  const { state_decision_trace: trace, event_severity: severity, packet_quality: quality } = packet;
  const { price_move_bps: move } = trace.imbalances;
  const bound = trace.absorption_bound_bps;
  return [
    ['Event class', labelOf('event_classes', packet.event_class)],
    ['Market read', labelOf('directions', packet.market_read_direction)],
    ['Mid over one minute', move === null ? 'not measurable' : `${numberText(move)} bps`],
    ['Absorption bound', bound === null ? 'no book' : `${numberText(bound)} bps`],
    ['Range over three minutes', severity.movement_bps === null ? 'no book' : `${numberText(severity.movement_bps)} bps`],
    ['Contradiction', numberText(packet.contradiction_score)],
    ['Source support', numberText(quality.source_support_ratio)],
    ['Gap flags', quality.gap_flags.map((flag) => labelOf('gap_flags', flag)).join(', ') || 'none'],
  ];
}

/** The published state and the raw winner: `Raw winner: Pressure building, by 0.206 over Flow shift watch.` */
function winnerWords({ state_decision_trace: trace, state, state_age_packets: age }: Packet): string {
  const margin = `by ${numberText(trace.state_margin)} over ${labelOf('states', trace.runner_up_state)}`;
  const kept = `Published for ${duration(age * INTERVAL_MS)}.`;
  if (trace.winner_state === state) return `It is the raw winner, ${margin}. ${kept}`;
  return `Raw winner: ${labelOf('states', trace.winner_state)}, ${margin}. ${kept}`;
}

/** `0.592 elevated context` */
function severityWords({ event_severity: { score, severity_class: severityClass } }: Packet): string {
  return `${numberText(score)} ${labelOf('severity_classes', severityClass)}`;
}

function boundsWords({ event_severity: { bounds } }: Packet): string {
  const whose = labelOf('threshold_sources', bounds.source);
  return `Elevated from ${numberText(bounds.elevated)}, high from ${numberText(bounds.high)}, critical from ${numberText(bounds.critical)}: ${whose}.`;
}

/** `0.496 medium` */
function confidenceWords({ confidence: { score, label } }: Packet): string {
  return `${numberText(score)} ${labelOf('confidence_labels', label)}`;
}

function confidenceParts({ confidence: { terms } }: Packet): string {
  const { medium_from: medium, high_from: high } = POLICY.numbers.confidence;
  const parts = Object.entries(PARTS).map(([name, label]) => `${label} ${numberText(terms[name] ?? 0)}`);
  return `Medium from ${medium}, high from ${high}. ${capital(parts.join(', '))}.`;
}

const PARTS: Readonly<Record<string, string>> = {
  source_support_ratio: 'sources',
  margin_share: 'margin',
  sample_share: 'samples',
  fresh_share: 'freshness',
  evidence_share: 'books and trades',
};

function counterevidence({ reason_details: reasons, client_reason_summary: summary }: Packet): readonly string[] {
  return reasons.filter(({ reason_id: id }) => summary.counterevidence.includes(id)).map(({ claim }) => claim);
}

/**
 * HTML with inline SVG, without scripts or inline styles. Ids start with `prefix`, which must be unique on the page.
 */
export function packetChart(packet: Packet, prefix = 'packet'): string {
  const { candidate_states: candidates } = packet.state_decision_trace;
  return `<figure class="packet-figure">
${markPatterns(
  candidates.map(({ state }) => state),
  prefix,
)}
<figcaption><strong>${escape(packet.client_readout.headline)}</strong> <span>${escape(originOf(packet))}; the ten seconds to <time datetime="${packet.ts}">${utcText(packet.ts)}</time>.</span></figcaption>
<div class="pf-verdict">${stateBlock(packet, prefix)}${severityBlock(packet, prefix)}${confidenceBlock(packet, prefix)}</div>
<dl class="pf-facts">${packetFacts(packet)
    .map(([name, value]) => `<div><dt>${escape(name)}</dt><dd>${escape(value)}</dd></div>`)
    .join('')}</dl>
<p class="pf-head">Six scores; a dashed line marks the exit threshold of a held score</p>
<ul class="pf-scores"><li class="pf-axis" aria-hidden="true"><span></span><span class="pf-scale"><span class="pf-at-watch">watch</span><span class="pf-at-elevated">elevated</span></span></li>${LABELLED_COMPOSITES.map(([name, label]) => scoreRow(packet, name, label, prefix)).join('')}</ul>
<div class="pf-pair">${candidatesBlock(packet, prefix)}${termsBlock(packet)}</div>
<div class="pf-pair">${sentences('Counterevidence', counterevidence(packet))}${sentences(
    'End conditions',
    packet.client_reason_summary.invalidation_conditions,
  )}</div>
</figure>`;
}

function stateBlock(packet: Packet, prefix: string): string {
  return `<div><p class="pf-head">State</p><p class="pf-big">${swatch(packet.state, prefix)} ${escape(packet.state_label)}</p><p class="pf-soft">${escape(winnerWords(packet))}</p></div>`;
}

function severityBlock(packet: Packet, prefix: string): string {
  const { bounds, score } = packet.event_severity;
  const drawn = meter(
    `Severity ${severityWords(packet)}. ${boundsWords(packet)}`,
    score,
    [bounds.elevated, bounds.high, bounds.critical],
    `${prefix}-severity`,
  );
  return `<div><p class="pf-head">Severity</p><p class="pf-big">${escape(severityWords(packet))}</p>${drawn}<p class="pf-soft">${escape(boundsWords(packet))}</p></div>`;
}

function confidenceBlock(packet: Packet, prefix: string): string {
  const { medium_from: medium, high_from: high } = POLICY.numbers.confidence;
  const drawn = meter(
    `Confidence ${confidenceWords(packet)}. ${confidenceParts(packet)}`,
    packet.confidence.score,
    [medium, high],
    `${prefix}-confidence`,
  );
  return `<div><p class="pf-head">Confidence</p><p class="pf-big">${escape(confidenceWords(packet))}</p>${drawn}<p class="pf-soft">${escape(confidenceParts(packet))}</p></div>`;
}

function scoreRow(packet: Packet, name: keyof Packet['state_decision_trace']['composites'], label: string, prefix: string): string {
  const trace = packet.state_decision_trace.composites[name];
  const { watch, elevated, score } = trace;
  const scale = `<span class="pf-scale" aria-hidden="true"><span class="pf-at-watch">${numberText(watch)}</span><span class="pf-at-elevated">${numberText(elevated)}</span></span>`;
  const bar = scoreBar(label, trace, `${prefix}-${name}`);
  return `<li><span class="pf-name">${escape(label)}</span><span class="pf-drawn">${bar}${score === null ? '' : scale}</span><span class="pf-words">${score === null ? '' : escape(levelWords(trace))}</span></li>`;
}

function candidatesBlock(packet: Packet, prefix: string): string {
  const ranked = rankedCandidates(packet);
  const rows = ranked
    .filter(({ score }) => score > 0)
    .map(
      ({ state, score, outcome }) =>
        `<li><span class="pf-name">${swatch(state, prefix)} ${escape(labelOf('states', state))}</span><span class="pf-drawn">${candidateBar(state, score)}</span><span class="pf-number">${scoreText(score)}</span><span class="pf-words">${escape(outcome)}</span></li>`,
    );
  const others = ranked.filter(({ score }) => score === 0).map(({ state, outcome }) => `${labelOf('states', state)} (${outcome})`);
  const floor = numberText(POLICY.numbers.candidates.floor_score);
  return `<div><p class="pf-head">Candidates; the line is the floor of ${floor}</p><ul class="pf-candidates">${rows.join('')}</ul>${others.length === 0 ? '' : `<p class="pf-soft">At 0: ${escape(others.join(', '))}.</p>`}</div>`;
}

function termsBlock(packet: Packet): string {
  const { winner_state: winner } = packet.state_decision_trace;
  const { rule, sum } = scoreWords(packet);
  const groups = termGroups(packet).map(
    ({ title, rows }) =>
      `<p class="pf-group">${escape(title)}</p><dl class="pf-terms">${rows
        .map(({ meaning, value }) => `<div><dt>${escape(meaning)}</dt><dd>${escape(value)}</dd></div>`)
        .join('')}</dl>`,
  );
  return `<div><p class="pf-head">Why ${escape(labelOf('states', winner))} won</p><p class="pf-rule">${escape(rule)}</p>${sum === '' ? '' : `<p class="pf-sum">${escape(sum)}</p>`}${groups.join('')}</div>`;
}

function sentences(title: string, all: readonly string[]): string {
  return `<div><p class="pf-head">${escape(title)}</p><ul class="pf-sentences">${all.map((each) => `<li>${escape(each)}</li>`).join('')}</ul></div>`;
}
