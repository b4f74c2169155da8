import { labelLog } from './label-log';
import { LogBuilder } from './log-builder';

const START_MS = 1_700_000_100_000;

test('a venue that no longer reports books has no volatility and no regime, whatever returns are remembered', () => {
  const log = new LogBuilder(START_MS).connected().tick(START_MS + 100);
  for (let window = 0; window < 40; window++) {
    const endMs = START_MS + (window + 1) * 10_000;
    log.book(endMs - 500, [[100 + (window % 7), 1]], [[101 + (window % 7), 1]]);
    if (window === 38) log.connected({ channels: ['trade', 'context', 'liquidation'] });
    log.tick(endMs + 1_000);
  }
  const [before, after] = labelLog(log.events)
    .slice(-3, -1)
    .map(({ packet }) => packet.state_decision_trace);
  expect(before?.composites.regime.terms['realized_vol_short']).toBeGreaterThan(0);
  expect(before?.composites.regime.level).not.toBe('no_source');
  expect(after?.composites.regime).toMatchObject({
    score: null,
    norm: null,
    level: 'no_source',
    terms: { realized_vol_short: null, realized_vol_session: null },
    term_notes: { realized_vol_short: 'source_missing', realized_vol_session: 'source_missing' },
  });
});
