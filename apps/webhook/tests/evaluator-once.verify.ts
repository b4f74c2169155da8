import { randomInt } from 'node:crypto';
import { testTellingOnce } from './evaluator-once-suite';

testTellingOnce(240, { seed: randomInt(2 ** 31), races: true });
