import { testTellingOnce } from './evaluator-once-suite';

testTellingOnce(24, { seed: 1, races: false });
