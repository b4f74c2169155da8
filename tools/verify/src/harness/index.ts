export { type Customer, customerAt, makeCustomer, addLiveEndpoints, type LiveEndpoint } from './customer';
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
