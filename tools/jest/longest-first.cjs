const { default: Sequencer } = require('@jest/test-sequencer');

/** Whole systems, proofs and properties take minutes: started last, one of them would keep a single core busy at the end. */
const LONG = [/\/e2e\/default-system\./, /\/e2e\//, /\/properties\//, /\/tools\/(prove|launcher|reference)\//, /archive/, /\/tests\//];

const rankOf = ({ path }) => {
  const rank = LONG.findIndex((pattern) => pattern.test(path));
  return rank < 0 ? LONG.length : rank;
};

/** Jest's own order (failed before, slow before, large) within the kinds of tests, the longest kinds first. */
module.exports = class LongestFirst extends Sequencer {
  sort(tests) {
    return [...super.sort(tests)].sort((one, other) => rankOf(one) - rankOf(other));
  }
};
