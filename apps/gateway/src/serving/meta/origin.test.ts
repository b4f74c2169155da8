import { originOf } from './origin';

it('names each origin once and never calls an unknown one the venue', () => {
  expect(originOf(['live'])).toBe('the venue');
  expect(originOf(['recorded', 'simulated', 'recorded'])).toBe('a re-timed recording and a simulated venue');
  expect(originOf(['unknown'])).not.toContain('venue');
});
