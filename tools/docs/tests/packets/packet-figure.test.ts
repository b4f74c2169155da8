import type { Packet } from '@market-state/labeler';
import { LABELLED_COMPOSITES, scoreWords } from '../../src/packets/decision-words';
import { numberText, scoreText } from '../../src/packets/figure-words';
import { packetOf } from '../../src/packets/packet-file';
import { packetChart, packetTable } from '../../src/packets/packet-figure';
import { packetStyles } from '../../src/packets/packet-styles';
import { WORDS } from './words';

const PACKETS = WORDS.map(([word]) => [word, packetOf(word)] as const);

/** Text of a drawing without tags and entities. */
function textOf(html: string): string {
  return html
    .replace(/<[^>]+>/g, ' ')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&')
    .replace(/\s+/g, ' ');
}

/** Every number and sentence required in both forms of a packet. */
function saidOf(packet: Packet): readonly string[] {
  const { composites, candidate_states: candidates, winner_state: winner, state_margin: margin } = packet.state_decision_trace;
  const { event_severity: severity, confidence } = packet;
  const against = packet.reason_details.filter(({ reason_id: id }) => packet.client_reason_summary.counterevidence.includes(id));
  return [
    packet.state_label,
    packet.client_readout.headline,
    numberText(margin),
    `${numberText(severity.score)} `,
    numberText(severity.bounds.critical),
    `${numberText(confidence.score)} ${confidence.label}`,
    ...LABELLED_COMPOSITES.flatMap(([name, label]) => {
      const { score, watch, elevated, leave_at: leaveAt, held } = composites[name];
      if (score === null) return [label];
      return [
        label,
        numberText(score),
        numberText(watch),
        numberText(elevated),
        ...(held ? [`until it falls below ${numberText(leaveAt)}`] : []),
      ];
    }),
    ...candidates.filter(({ score }) => score > 0).map(({ score }) => scoreText(score)),
    ...(scoreWords(packet).sum === '' ? [] : [scoreWords(packet).sum]),
    ...Object.entries(candidates.find(({ state }) => state === winner)?.terms ?? {}).flatMap(([name, value]) =>
      value === null || name === 'open' || name === 'sides_agree' || name.startsWith('book_') ? [] : [numberText(value)],
    ),
    ...against.map(({ claim }) => claim),
    ...packet.client_reason_summary.invalidation_conditions,
  ];
}

describe.each(PACKETS)('the packet of %s', (word, packet) => {
  const figure = packetChart(packet, word);
  const table = packetTable(packet);

  test('has all of its numbers and sentences in the figure, and the same in the tables', () => {
    const said = saidOf(packet);
    const drawn = textOf(figure);
    expect(said.filter((each) => !drawn.includes(each))).toEqual([]);
    expect(said.filter((each) => !table.includes(each))).toEqual([]);
  });

  test('has an image for each score and share, with its own title', () => {
    const ids = [...figure.matchAll(/ id="([^"]+)"/g)].map(([, id = '']) => id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.every((id) => id.startsWith(`${word}-`))).toBe(true);
    const images = [...figure.matchAll(/role="img" aria-labelledby="([^"]+)"><title id="([^"]+)">([^<]+)<\/title>/g)];
    const scores = LABELLED_COMPOSITES.filter(([name]) => packet.state_decision_trace.composites[name].score !== null);
    expect(images).toHaveLength(2 + scores.length);
    for (const [, labelled, title, sentence] of images) expect([labelled, /\.$/.test(sentence ?? '')]).toEqual([title, true]);
    expect(figure.match(/<svg /g)?.length).toBe((figure.match(/role="img"|aria-hidden="true" focusable="false"/g) ?? []).length);
  });

  test('has no script, inline style or foreign address', () => {
    expect(figure).not.toMatch(/<script|\bon[a-z]+=|\bstyle=|https?:|url\((?!#)/);
  });

  test('has every used class in the style sheet', () => {
    const styles = packetStyles();
    const named = new Set([...figure.matchAll(/class="([^"]+)"/g)].flatMap(([, names = '']) => names.split(' ')));
    expect([...named].filter((name) => !new RegExp(`\\.${name}\\b`).test(styles))).toEqual([]);
  });

  test('has tables with complete rows', () => {
    for (const block of table.split('\n\n').filter((each) => each.startsWith('|'))) {
      const widths = new Set(block.split('\n').map((row) => row.replaceAll('\\|', '').split('|').length));
      expect(widths.size).toBe(1);
    }
  });

  test('has a formula whose numbers give the winner’s score', () => {
    const { sum } = scoreWords(packet);
    const { winner_state: winner, candidate_states: candidates } = packet.state_decision_trace;
    const score = candidates.find(({ state }) => state === winner)?.score ?? -1;
    if (sum === '') expect(['insufficient_evidence', 'replay_context_ready', 'market_state_watch']).toContain(winner);
    else expect(Math.abs(valueOf(sum.split(' = ')[0] ?? '') - score)).toBeLessThan(0.002);
  });
});

/** Evaluates products, sums and brackets as written by `scoreWords`. */
function valueOf(sum: string): number {
  const inner = /\(([^()]+)\)/.exec(sum);
  if (inner !== null) return valueOf(sum.replace(inner[0], String(valueOf(inner[1] ?? ''))));
  const terms = sum.split(/ (?=[+−] )/);
  return terms.reduce((total, term) => {
    const product = term
      .replace(/^[+−] /, '')
      .split(' × ')
      .reduce((all, factor) => all * Number(factor), 1);
    return total + (term.startsWith('− ') ? -product : product);
  }, 0);
}

test('without a source nothing is drawn, and the text says why', () => {
  const figure = packetChart(packetOf('insufficient_evidence'), 'one');
  expect(figure.match(/<span class="pf-absent">not reported<\/span>/g)).toHaveLength(4);
  expect(figure).not.toContain('one-pressure');
});

test('both themes have every hue', () => {
  const styles = packetStyles();
  const [light = '', dark = ''] = styles.split('@media screen and (prefers-color-scheme:dark)');
  const hues = (text: string): string[] => (text.match(/--pf-hue-[a-z_]+(?=:)/g) ?? []).sort();
  expect(hues(light).length).toBeGreaterThan(8);
  expect(hues(dark.split('\n')[0] ?? '')).toEqual(hues(light));
});

test.each([
  [0, '0'],
  [16, '16'],
  [0.25, '0.25'],
  [0.5004, '0.5'],
  [-0.242212, '−0.242'],
  [0.00057026, '0.00057'],
  [-0.00086, '−0.00086'],
  [1667132.8425, '1,667,132.843'],
  [70027, '70,027'],
  [100, '100'],
])('%d reads %s', (value, text) => expect(numberText(value)).toBe(text));

test('a score that rounds to zero is not shown as 0', () => {
  expect([scoreText(0.000102), scoreText(0), scoreText(0.008362), scoreText(0.361991)]).toEqual(['under 0.001', '0', '0.008', '0.362']);
});
