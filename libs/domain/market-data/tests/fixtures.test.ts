import { readdirSync } from 'node:fs';
import { recordingFormats } from '../src/recordings/open-recording';
import { fixturePath } from './open-files';

it('every format has a hand-written recording', () => {
  expect(readdirSync(fixturePath()).sort()).toEqual(recordingFormats.map(({ id }) => id).sort());
});
