import { lossOf } from './loss-of';

test.each([
  ['a gap', 'sequence_gap', 'resumed', 9, 'lost'],
  ['a gap that a fresh snapshot ended', 'sequence_gap', 'resynced', 9, 'lost'],
  ['an open gap', 'feed_down', 'open', 0, 'lost'],
  ['a gap whose rows all came late', 'sequence_gap', 'withdrawn', 9, 'none'],
  ['a seam', 'recording_seam', 'resumed', 9, 'none'],
  ['a seam that was withdrawn', 'recording_seam', 'withdrawn', 9, 'none'],
  ['a seam that a fresh snapshot ended', 'recording_seam', 'resynced', 9, 'unknown'],
  ['a seam without an end', 'recording_seam', 'resumed', 0, 'unknown'],
])('%s', (_name, reason, resolution, endMs, loss) => {
  expect(lossOf({ reason, resolution, endMs })).toBe(loss);
});
