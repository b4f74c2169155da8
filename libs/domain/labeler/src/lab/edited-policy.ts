import { compilePolicy } from '../policy/compile-policy';
import { editNumbers, type NumberEdits, type NumberFault } from '../policy/number-fields';
import type { Policy } from '../policy/policy';

/**
 * The published policy with edited numbers; everything that is wrong with them at once where something is. What no number alone is to
 * blame for, a rule of another file that the numbers no longer fit, is told at that file's place.
 */
export function editedPolicy(published: Policy, edits: NumberEdits): Policy | readonly NumberFault[] {
  const { numbers, faults } = editNumbers(published.numbers, edits);
  if (faults.length > 0) return faults;
  const others: NumberFault[] = [];
  const policy = compilePolicy({ ...published.files, numbers }, (file) => (pointer, says) => {
    others.push({ path: `${file}.json${pointer.replaceAll('/', '.')}`, says });
  });
  return others.length > 0 ? others : policy;
}
