export { type Customer, customerAt, makeCustomer } from './customer';
export {
  hostAccount,
  type HostedAccount,
  orderFor,
  auditLedger,
  receiptsOf,
  receiptsOnceThere,
  unreleasedHolds,
  openPool,
} from './account';
export { jestSuite, testFilesIn } from './jest-suite';
export { pauseUpTo, spreadKills } from './kills';
export { addLiveEndpoints, type LiveEndpoint } from './live-endpoints';
export { heldMib } from './memory';
export {
  needsChromium,
  needsProgram,
  needsPython,
  needsRecordings,
  needsRoot,
  firstOf,
  Report,
  type SuiteResult,
  runSuite,
  untilInTime,
} from './suite';
export type { FormSettings, Suite, SuiteContext, SuiteSettings } from './suite';
