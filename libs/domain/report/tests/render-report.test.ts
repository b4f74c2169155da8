import { renderReport, ReportError } from '../src/index';
import { sample, series } from './samples';

const options = { title: 'BTCUSD-PERP <read>', source: 'A recording & its packets.' };

describe('a report', () => {
  const html = renderReport(
    [
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
    ],
    options,
  );

  test('holds each figure and each table once', () => {
    for (const heading of [
      'Mid price and published state',
      'Event class',
      'Composite scores against their thresholds',
      'Margin of the raw winner over the runner-up',
      'Event severity',
    ]) {
      expect(html.split(`<h2>${heading}</h2>`)).toHaveLength(2);
    }
    for (const heading of ['Published states', 'Changes of state', 'Event classes', 'Thresholds', 'Calibration', 'Holes']) {
      expect(html.split(`<h3>${heading}</h3>`)).toHaveLength(2);
    }
  });

  test('escapes what it is given and loads nothing from elsewhere', () => {
    expect(html).toContain('<h1>BTCUSD-PERP &lt;read&gt;</h1>');
    expect(html).toContain('A recording &amp; its packets.');
    expect(html).not.toMatch(/https?:|src=|@import|url\((?!#)/);
  });

  test('draws nothing where no packet or no book was, and says why', () => {
    const mid = /<path class="mid" d="([^"]*)"/.exec(html)?.[1] ?? '';
    expect(mid.split('M')).toHaveLength(3);
    expect(html).toContain('<title>no packets: the feed was down</title>');
    expect(html).toContain('<title>retained context only</title>');
  });

  test('colours a mark by the side that its class or direction leans to', () => {
    expect(html.match(/fill="var\(--bid\)"/g)).toHaveLength(1);
    expect(html.match(/fill="var\(--ask\)"/g)).toHaveLength(1);
  });

  test('says whether the market was real', () => {
    expect(html).toContain('Recorded market data');
    expect(renderReport([sample(1, { sourceKind: 'simulated' })], options)).toContain('Synthetic data: made by a generator, not a market');
  });
});

test('a composite without a source is not drawn as zero', () => {
  const without = sample(1);
  const html = renderReport(
    [{ ...without, composites: { ...without.composites, crowding: { score: null, watch: 0.4, elevated: 0.7 } } }],
    options,
  );
  expect(html.match(/no source in this span/g)).toHaveLength(1);
});

test('where every packet lies in a hole, no state is called the most frequent', () => {
  const retained = { state: 'replay_context_ready', eventClass: 'retained_context_only' };
  const html = renderReport([sample(1, retained), sample(2, retained)], options);
  expect(html).toContain('<div><b>none</b><span>packets outside holes: nothing current could be read</span></div>');
  expect(html).not.toContain('the most frequent');
});

test.each([
  ['no packets', [], 'There is no packet to report on.'],
  ['two symbols', [sample(1), sample(2, { symbol: 'ETHUSD-PERP' })], 'BTCUSD-PERP, ETHUSD-PERP'],
  ['real and synthetic packets', [sample(1), sample(2, { sourceKind: 'simulated' })], 'recorded and simulated'],
  ['a window twice', [sample(1), sample(1)], '2024-08-08 23:59:10'],
  ['windows out of order', [...series(['depth_watch', 'depth_watch'])].reverse(), '2024-08-08 23:59:10'],
])('refuses %s', (_, samples, words) => {
  expect(() => renderReport(samples, options)).toThrow(ReportError);
  expect(() => renderReport(samples, options)).toThrow(words);
});
