import { loadPolicy } from '@market-state/labeler';
import { SEVERITY_CLASSES } from './kinds';

test('classes of severity are those of the taxonomy, in its order', () => {
  expect(SEVERITY_CLASSES).toEqual([...(loadPolicy().taxonomy.kinds.get('severity_classes')?.keys() ?? [])]);
});
