export { editNumbers, NUMBER_FIELDS, numberAt } from './policy/number-fields';
export type { NumberEdits, NumberFault, NumberField } from './policy/number-fields';
export type { PolicyNumbers } from './policy/numbers';
