export { INSTANT_MS_MAX, instantFaults, laterInstantFaults, optionalSpanFaults } from './instants';
export { eventIdFaults, idFaults, optionalIdFaults, symbolFaults } from './names';
export { rangeFaults } from './numbers';
export { refuseFaults } from './refuse';
export { controlFaults, lengthFaults, nameFaults } from './texts';
