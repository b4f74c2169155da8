import { badgeChart } from './badge';
import { STATE_STYLES } from './palette';

test('a badge escapes its text', () => {
  const svg = badgeChart({ state: 'depth_watch', text: '<script>alert("x")</script> & more' });
  expect(svg).not.toContain('<script');
  expect(svg).toContain('&lt;script&gt;alert(&quot;x&quot;)&lt;/script&gt; &amp; more');
});

test('a badge invites the reader to check it, and never claims that anything was verified', () => {
  for (const state of [...Object.keys(STATE_STYLES), 'insufficient_evidence', 'of_a_later_version', null]) {
    const svg = badgeChart({ state, text: 'Depth watch, 2026-11-27 06:50:00 UTC' });
    expect(svg).toContain('>check it</text>');
    expect(svg).not.toMatch(/verified|valid|NaN|undefined/i);
  }
});

test('a badge loads nothing and needs no style', () => {
  const svg = badgeChart({ state: 'crowding_shift', text: 'Crowding shift' });
  expect(svg.replace('http://www.w3.org/2000/svg', '')).not.toMatch(/https?:|href|style|@import|on\w+=/);
});

test('every state has its own hue and its own mark', () => {
  const drawn = Object.keys(STATE_STYLES).map((state) => badgeChart({ state, text: 'x' }));
  expect(new Set(drawn).size).toBe(drawn.length);
  const marks = drawn.map((svg) => /<path d="([^"]*)"/.exec(svg)?.[1]);
  expect(new Set(marks).size).toBe(marks.length);
});
