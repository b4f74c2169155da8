import type { Composite, ReportSample } from '@market-state/packet-figures';
import { renderReport, ReportError } from '../src/index';
import { sample, series } from './samples';

const options = { title: 'BTCUSD-PERP <read>', source: 'A recording & its packets.' };
const pageOf = (...samples: readonly ReportSample[]) => renderReport(samples, options);
const chartOf = (html: string, title: string) =>
  /<figure>.*?<\/figure>/s.exec(html.slice(html.indexOf(`<figure>\n<figcaption><h2>${title}`)))?.[0] ?? '';
const pathOf = (html: string, kind: string) => new RegExp(`<path class="${kind}" d="([^"]*)"`).exec(html)?.[1] ?? '';

describe('a report', () => {
  const html = pageOf(
    sample(1, {
      state: 'pressure_building',
      eventClass: 'visible_depth_pressure_without_trade_confirmation',
      direction: 'bid_heavy_depth',
      crossed: ['pressure_watch'],
    }),
    sample(2, { mid: null, state: 'replay_context_ready', eventClass: 'retained_context_only', direction: 'no_current_read' }),
    sample(9, {
      near: ['flow_watch'],
      eventClass: 'ask_pressure_confirmed_by_sell_flow',
      direction: 'book_pressure_and_trade_flow_confirmed',
    }),
  );

  test('holds each figure and each table once', () => {
    for (const heading of [
      'Mid price and published state',
      'Volume and trades',
      'Event class',
      'Raw winner and runner-up',
      'Event severity',
      'Confidence and gap flags',
      'Composite scores against their thresholds',
      'What the packets say',
    ]) {
      expect(html.split(`<h2>${heading}</h2>`)).toHaveLength(2);
    }
    for (const heading of [
      'Published states',
      'Changes of state',
      'Raw winner and what lost to it',
      'Event classes',
      'Thresholds',
      'Calibration',
      'Holes',
    ]) {
      expect(html.split(`<h3>${heading}</h3>`)).toHaveLength(2);
    }
  });

  test('escapes what it is given and loads nothing from elsewhere', () => {
    expect(html).toContain('<h1>BTCUSD-PERP &lt;read&gt;</h1>');
    expect(html).toContain('A recording &amp; its packets.');
    expect(html.replace(/url\("data:image\/svg\+xml,[^"]*"\)/g, '')).not.toMatch(/https?:|src=|@import|url\(/);
  });

  test('marks what no packet or no book covers, and names both kinds', () => {
    expect(chartOf(html, 'Mid price and published state').match(/<i class="hole (no_packet|retained)"/g)).toEqual([
      '<i class="hole retained"',
      '<i class="hole no_packet"',
    ]);
    expect(html).toContain('</i>no packets: the feed was down</span>');
    expect(html).toContain('</i>retained context only</span>');
  });

  test('colours a mark by the side that its class or direction leans to', () => {
    expect(html.match(/fill="var\(--bid\)"/g)).toHaveLength(1);
    expect(html.match(/fill="var\(--ask\)"/g)).toHaveLength(1);
  });

  test('says whether the market was real', () => {
    expect(html).toContain('Recorded market data');
    expect(pageOf(sample(1, { sourceKind: 'simulated' }))).toContain('Synthetic data: generated, not from a market');
  });

  test('hides nothing behind a pointer: no tooltips, and the newest packet is on the page as it is', () => {
    expect(html).not.toContain('<title>no');
    expect(html.match(/<title>/g)).toHaveLength(1);
    expect(html).toMatch(
      /<div id="readout" role="status">2024-08-09 00:00:30 UTC · market state watch · raw winner market state watch 0\.600/,
    );
  });
});

test('the mid breaks where no packet was, and where the book was not current, though a stale mid is known', () => {
  const html = pageOf(sample(1), sample(2), sample(3, { state: 'replay_context_ready' }), sample(4), sample(6));
  expect(pathOf(html, 'mid').split('M')).toHaveLength(4);
});

test('volume is drawn by side where the log was at hand; packets alone show their trades, and say so', () => {
  const html = pageOf(sample(1, { volume: { buys: 4, sells: 0 } }), sample(2, { volume: { buys: 0, sells: 2 } }));
  const [buys, sells] = [pathOf(html, 'buys'), pathOf(html, 'sells')];
  expect(buys.match(/M/g)).toHaveLength(1);
  expect(sells.match(/M/g)).toHaveLength(1);
  // From the middle, 85: buyers up to the top, sellers half as far down.
  expect(buys).toBe('M0 85V20H500V85');
  expect(sells).toBe('M500 85V117.5H1000V85');
  expect(html).toContain('bought 0 · sold 2 · 12 trades');
  const ofPackets = chartOf(pageOf(sample(1), sample(2, { tradeTotal: 0 })), 'Volume and trades');
  expect(ofPackets).toContain('Packets contain no volumes');
  expect(pathOf(ofPackets, 'trades').match(/M/g)).toHaveLength(1);
  expect(chartOf(pageOf(sample(1, { tradeTotal: null })), 'Volume and trades')).toContain('trades: not reported by this venue');
});

test('confidence is drawn over time, with a row of marks for each gap flag', () => {
  const html = pageOf(
    sample(1, { confidence: 0.25, gapFlags: ['book_gap', 'late_events'] }),
    sample(2, { confidence: 0.75, gapFlags: ['book_gap'] }),
    sample(3, { confidence: 0.75 }),
  );
  const figure = chartOf(html, 'Confidence and gap flags');
  expect(pathOf(figure, 'score')).toBe('M0 95H333.33V45H1000');
  expect([...figure.matchAll(/<span class="row"[^>]*>([^<]*)</g)].map(([, text]) => text)).toEqual([
    'confidence',
    'book gap',
    'late events',
  ]);
  expect([...figure.matchAll(/<rect x="([^"]*)"[^>]*width="([^"]*)"/g)].map(([, x, width]) => [x, width])).toEqual([
    ['0', '666.7'],
    ['0', '333.3'],
  ]);
  expect(chartOf(pageOf(sample(1)), 'Confidence and gap flags')).toContain('No packet has a gap flag.');
});

describe('what lost to each label', () => {
  const html = pageOf(
    sample(1, { state: 'depth_watch', winnerScore: 0.75, runnerUp: 'flow_shift_watch', runnerUpScore: 0.5 }),
    sample(2, { state: 'depth_watch', winner: 'flow_shift_watch', winnerScore: 1, runnerUp: 'depth_watch', runnerUpScore: 0.25 }),
  );

  test('is drawn under the winner, in the colour of its state', () => {
    const bars = [...chartOf(html, 'Raw winner and runner-up').matchAll(/<path class="candidate" d="([^"]*)" style="fill:([^"]*)"/g)];
    expect(bars.map(([, path, color]) => [color, path])).toEqual([
      ['var(--state-depth_watch)', 'M0 95V37.3H500V95'],
      ['var(--state-flow_shift_watch)', 'M500 95V18H1000V95'],
      ['var(--state-flow_shift_watch)', 'M0 95V133.5H500V95'],
      ['var(--state-depth_watch)', 'M500 95V114.3H1000V95'],
    ]);
    expect(pathOf(html, 'waiting')).toBe('M500 206V192H1000V206');
  });

  test('is counted by pair', () => {
    const table = html.slice(html.indexOf('<h3>Raw winner and what lost to it</h3>'));
    expect(table.slice(0, table.indexOf('</table>')).match(/<tr><td data-column="raw winner">.*?<\/tr>/g)).toHaveLength(2);
    expect(table).toContain('<td data-column="raw winner">Flow shift watch</td><td data-column="runner-up">depth watch</td>');
  });
});

test('the sentences of packets are on the page, once for each run of state, class and flags', () => {
  const html = pageOf(
    sample(1, { state: 'depth_watch' }),
    sample(2, { state: 'depth_watch', headline: 'Not the first.' }),
    sample(3, { state: 'depth_watch', gapFlags: ['book_gap'] }),
    sample(4, { state: 'flow_shift_watch', headline: 'Flow <leads>.', against: null }),
    sample(6, { state: 'flow_shift_watch' }),
  );
  const list = /<section class="sentences">.*?<\/section>/s.exec(html)?.[0] ?? '';
  expect(list).toContain('4 runs of one published state');
  expect(list.match(/<li /g)).toHaveLength(4);
  expect(list).toContain('2024-08-08 23:59:10</time> · 20 s');
  expect(list).toContain('10 s · book gap');
  expect(list).toContain('Flow &lt;leads&gt;.');
  expect(list.match(/Against: What speaks against \w+\./g)).toEqual([
    'Against: What speaks against depth_watch.',
    'Against: What speaks against depth_watch.',
    'Against: What speaks against flow_shift_watch.',
  ]);
  expect(list).not.toContain('Not the first.');
});

describe('sources of composites', () => {
  const withScores = (window: number, scores: Partial<Record<Composite, null>>): ReportSample => {
    const base = sample(window);
    const composites = Object.fromEntries(
      Object.entries(base.composites).map(([name, composite]) => [name, name in scores ? { ...composite, score: null } : composite]),
    ) as ReportSample['composites'];
    return { ...base, composites };
  };

  test('a composite without a source is not drawn, and a line on top says which had none and which not always', () => {
    const none = { crowding: null, forced_flow: null };
    const html = pageOf(withScores(1, { ...none, regime: null }), withScores(2, none));
    expect(html).toContain(
      '<p class="sources">Four of the six composites had a source; none for crowding and forced flow, so no state or class that needs them could be read. Not in every packet: regime in 1 of 2.</p>',
    );
    const figure = chartOf(html, 'Composite scores against their thresholds');
    expect(figure.match(/<path class="score/g)).toHaveLength(4);
    expect(figure).not.toContain('crowding');
  });

  test('nothing is said where all had one in nine tenths of the packets', () => {
    const all = Array.from({ length: 10 }, (_, window) => sample(window + 1));
    expect(pageOf(...all)).not.toContain('class="sources"');
    expect(pageOf(withScores(1, { flow: null }), ...all.slice(1))).not.toContain('class="sources"');
    expect(pageOf(withScores(1, { flow: null }), withScores(2, { flow: null }), ...all.slice(2))).toContain(
      '<p class="sources">Not in every packet: flow in 8 of 10.</p>',
    );
  });
});

test('the bounds of severity are drawn as they were in force', () => {
  const html = pageOf(sample(1), sample(2, { severityBounds: { elevated: 0.4, high: 0.6, critical: 0.8 } }));
  expect(html).toContain('elevated from 0.40 to 0.50, high from 0.60, critical from 0.70 to 0.80; routine below');
  expect(pathOf(html, 'bound elevated')).toBe('M0 71H500V83.2H1000');
});

test('the session state is a strip under the mid once there is one', () => {
  expect(pageOf(sample(1))).toContain('There is no session state yet');
  const figure = chartOf(pageOf(sample(1), sample(2, { sessionState: 'depth_watch' })), 'Mid price and published state');
  expect(figure).toContain('session state');
  expect(figure).toMatch(/<rect x="500" y="17" width="500" height="12" fill="var\(--state-depth_watch\)"\/>/);
});

test('a narrow page names the columns of a table in its rows, and lets nothing be wider than it is', () => {
  const html = pageOf(...series(['depth_watch', 'flow_shift_watch']));
  const cells = html.match(/<td[^>]*>/g) ?? [];
  expect(cells.filter((cell) => !cell.includes('data-column=') && !cell.includes('colspan='))).toEqual([]);
  expect(html).not.toMatch(/<svg[^>]* width=/);
  expect(html.match(/preserveAspectRatio="none"/g)).toHaveLength(7);
});

test('where every packet lies in a hole, no state is called the most frequent', () => {
  const retained = { state: 'replay_context_ready', eventClass: 'retained_context_only' };
  const html = pageOf(sample(1, retained), sample(2, retained));
  expect(html).toContain('<div><b>none</b><span>packets outside gaps: no current reading</span></div>');
  expect(html).not.toContain('the most frequent');
});

test.each([
  ['no packets', [], 'There are no packets to report on.'],
  ['two symbols', [sample(1), sample(2, { symbol: 'ETHUSD-PERP' })], 'BTCUSD-PERP, ETHUSD-PERP'],
  ['real and synthetic packets', [sample(1), sample(2, { sourceKind: 'simulated' })], 'recorded and simulated'],
  ['a window twice', [sample(1), sample(1)], '2024-08-08 23:59:10'],
  ['windows out of order', [...series(['depth_watch', 'depth_watch'])].reverse(), '2024-08-08 23:59:10'],
])('refuses %s', (_, samples, words) => {
  expect(() => renderReport(samples, options)).toThrow(ReportError);
  expect(() => renderReport(samples, options)).toThrow(words);
});
