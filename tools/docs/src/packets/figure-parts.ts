import { bulletOf, escape, markTile, sideOf, stateStyle, stateWord, TILE } from '@market-state/packet-figures';
import type { CompositeName, Packet } from '@market-state/labeler';
import { ABSENCES, POLICY, numberText } from './figure-words';

/** View box width of a bar. Bars scale to their column, so lines keep their width and text stays outside. */
const WIDE = 1_000;

type Trace = Packet['state_decision_trace']['composites'][CompositeName];

export function markPatterns(states: readonly string[], prefix: string): string {
  const drawn = [...new Map(states.map((state) => [stateWord(state), stateStyle(state)]))];
  const patterns = drawn.map(([word, { mark }]) => {
    const { path, isFilled } = markTile(mark);
    const paint = isFilled ? 'pf-dot' : 'pf-stroke';
    return `<pattern id="${prefix}-mark-${word}" width="${TILE}" height="${TILE}" patternUnits="userSpaceOnUse"><rect width="${TILE}" height="${TILE}" class="pf-hue-${word}"/>${path === '' ? '' : `<path d="${path}" class="${paint} pf-ink-${word}"/>`}</pattern>`;
  });
  return `<svg class="pf-defs" width="0" height="0" aria-hidden="true" focusable="false"><defs>${patterns.join('')}</defs></svg>`;
}

export function swatch(state: string, prefix: string): string {
  return `<svg class="pf-swatch" width="16" height="16" viewBox="0 0 16 16" aria-hidden="true" focusable="false"><rect x="0.5" y="0.5" width="15" height="15" rx="2" fill="url(#${prefix}-mark-${stateWord(state)})" class="pf-edge"/></svg>`;
}

/** The exit line is drawn only while the composite is held. */
export function scoreBar(label: string, trace: Trace, id: string): string {
  const { score, watch, elevated, held, leave_at: leaveAt } = trace;
  const bullet = bulletOf({ score, watch, elevated });
  if (bullet.score === null) return `<span class="pf-absent">${escape(absenceWords(trace))}</span>`;
  const leave = bulletOf({ score: leaveAt, watch, elevated }).score ?? 0;
  const lines = `<path class="pf-line" d="${line(bullet.watch)}${line(bullet.elevated)}"/>${held ? `<path class="pf-line pf-leave" d="${line(leave)}"/>` : ''}`;
  const bar = `<rect class="pf-${sideClass(trace.side)}${bullet.level === 'below_watch' ? ' pf-low' : ''}" y="5" width="${units(bullet.score)}" height="8"/>`;
  return stretched(`${label} ${levelWords(trace)}.`, id, 18, `<rect class="pf-track" y="5" width="${WIDE}" height="8"/>${bar}${lines}`);
}

export function meter(sentence: string, score: number, bounds: readonly number[], id: string): string {
  return stretched(
    sentence,
    id,
    18,
    `<rect class="pf-track" y="5" width="${WIDE}" height="8"/><rect class="pf-plain" y="5" width="${units(score)}" height="8"/><path class="pf-line" d="${bounds.map(line).join('')}"/>`,
  );
}

export function candidateBar(state: string, score: number): string {
  return `<svg class="pf-wide" viewBox="0 0 ${WIDE} 14" height="14" preserveAspectRatio="none" aria-hidden="true" focusable="false"><rect class="pf-track" y="3" width="${WIDE}" height="8"/><rect y="3" width="${units(score)}" height="8" class="${stateWord(state) === 'hole' ? 'pf-plain' : `pf-hue-${stateWord(state)} pf-edge`}"/><path class="pf-line" d="M${units(POLICY.numbers.candidates.floor_score)} 0V14"/></svg>`;
}

/** `0.242 to the ask side: at watch, held for 16 packets, until it falls below 0.08`. */
export function levelWords(trace: Trace): string {
  const { score, side, level, held, held_packets: packets, leave_at: leaveAt } = trace;
  if (score === null) return absenceWords(trace);
  const sided = side === 'none' ? '' : ` ${SIDE_WORDS[side]}`;
  const kept = held ? `, held for ${packets} ${packets === 1 ? 'packet' : 'packets'}, until it falls below ${numberText(leaveAt)}` : '';
  return `${numberText(score)}${sided}: ${LEVEL_WORDS[level]}${kept}`;
}

const SIDE_WORDS: Readonly<Record<Exclude<Trace['side'], 'none'>, string>> = {
  bid: 'to the bid side',
  ask: 'to the ask side',
  buy: 'to the buy side',
  sell: 'to the sell side',
  longs: 'of longs',
  shorts: 'of shorts',
};

const LEVEL_WORDS: Readonly<Record<Trace['level'], string>> = {
  no_source: 'not reported',
  not_available: 'not measurable',
  not_current: 'not current',
  below_watch: 'below watch',
  near_watch: 'just below watch',
  watch: 'at watch',
  elevated: 'elevated',
};

function absenceWords({ level }: Trace): string {
  return ABSENCES[level] ?? 'not measurable';
}

function sideClass(side: Trace['side']): string {
  const leaning = side === 'buy' ? 'bid_' : side === 'sell' ? 'ask_' : `${side}_`;
  return sideOf(leaning, '') === 'none' ? 'plain' : sideOf(leaning, '');
}

function stretched(sentence: string, id: string, height: number, drawing: string): string {
  return `<svg class="pf-wide" viewBox="0 0 ${WIDE} ${height}" height="${height}" preserveAspectRatio="none" role="img" aria-labelledby="${id}"><title id="${id}">${escape(sentence)}</title>${drawing}</svg>`;
}

function line(share: number): string {
  return `M${units(share)} 0V18`;
}

function units(share: number): number {
  return Math.round(share * WIDE);
}
