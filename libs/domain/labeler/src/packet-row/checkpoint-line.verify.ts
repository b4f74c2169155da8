import { gzipSync } from 'node:zlib';
import { POLICY } from '../../tests/label-log';
import { createState } from '../reducer/labeler-state';
import { stateOfKeptCheckpoint } from '../verify/verify-symbol';
import { checkpointOf } from './bundles-of-log';

test('a state that unpacks to more than a state can be is no place to begin', async () => {
  const checkpoint = checkpointOf(createState('ETHUSD-PERP', POLICY), 10_000);
  const large = gzipSync(Buffer.alloc(70_000_000));
  expect(await stateOfKeptCheckpoint(checkpoint, large, POLICY)).toBe('its state unpacks to more than a state can be');
});
