const { default: Sequencer } = require('@jest/test-sequencer');

/**
 * About how long the long test files take alone on two cores, seconds, and what they need: `heavy` starts a whole system or keeps a core
 * busy. Every other file is `light`: seconds, half of them waiting.
 */
const LONG = [
  [/\/e2e\/default-system\./, 'heavy', 115],
  [/\/e2e\/speeds-and-restarts\./, 'heavy', 70],
  [/\/e2e\/verify\./, 'heavy', 22],
  [/\/e2e\/accounts\./, 'heavy', 20],
  [/\/e2e\/main-job\./, 'heavy', 17],
  [/\/launcher\/tests\/start-system\./, 'heavy', 25],
  [/\/prove\/tests\/kill-proof\./, 'heavy', 28],
  [/\/prove\/tests\/gateway-proofs\./, 'heavy', 76],
  [/\/prove\/tests\/labeler-proof\./, 'heavy', 37],
  [/\/properties\//, 'heavy', 15],
  [/\/reference\//, 'heavy', 24],
  [/\/prove\/tests\//, 'heavy', 18],
  [/\/(log-laws|scenario-set|rederive|recording)\.test/, 'heavy', 15],
  [/\/(data-plane|labeling)\/tests\//, 'light', 8],
  [/\/tests\//, 'light', 4],
];
const LIGHT = [undefined, 'light', 1];

const kindOf = ({ path }) => {
  const [, kind, seconds] = LONG.find(([pattern]) => pattern.test(path)) ?? LIGHT;
  return { kind, seconds };
};

/** Whether a test of that kind may start beside those that run: a worker is left for light tests. */
function fits(kind, running, workers) {
  return kind === 'light' || running.filter((one) => one.kind === 'heavy').length < Math.max(1, workers - 1);
}

/**
 * Plays the run ahead: whenever a worker is free, the longest test that fits beside the others is next. Long tests begin early, none of
 * them starves another, and none is left alone at the end.
 */
module.exports = class SideBySide extends Sequencer {
  constructor(options) {
    super(options);
    this.workers = options?.globalConfig?.maxWorkers ?? 2;
  }

  sort(tests) {
    const waiting = [...super.sort(tests)].map((test) => ({ test, ...kindOf(test) })).sort((one, other) => other.seconds - one.seconds);
    const order = [];
    let running = [];
    let nowS = 0;
    while (waiting.length > 0) {
      if (running.length === this.workers) {
        nowS = Math.min(...running.map(({ endS }) => endS));
        running = running.filter(({ endS }) => endS > nowS);
      }
      const index = Math.max(
        0,
        waiting.findIndex(({ kind }) => fits(kind, running, this.workers)),
      );
      const [next] = waiting.splice(index, 1);
      running.push({ kind: next.kind, endS: nowS + next.seconds });
      order.push(next.test);
    }
    return order;
  }
};
