export { compareTail } from './command-line/compare-tail';
export { type CommandLine, openCommandLine } from './command-line/open-command-line';
export { type Format, FORMATS, formatFault, readCommands } from './command-line/read-commands';
export { completionsIn, hasShell, SHELLS } from './command-line/shell-completion';
export { type Agent, type Era, ERAS, openHttpAgent, openStdioAgent, type ToolAnswer } from './agents/open-agent';
export { freePort } from '@market-state/launcher';
export type { DatabaseService, System } from '@market-state/launcher';
export { type AccountProcess, startAccountProcess } from './start-account-process';
export { bundleOf, startSystem } from './start-system';
export { hasRedisServer, type RedisCluster, startRedisCluster } from './redis-cluster/start-redis-cluster';
export { startStores } from './stores/start-stores';
export type { TestStores } from './stores/start-stores';
export { hasSwift, startSwift, type Swift } from './swift/start-swift';
export { openSwiftBucket, type SwiftBucket } from './swift/swift-bucket';
export { patientPeer, testPeer, testRpcSettings, testRpcVariables, testServing } from './rpc';
export { memoryOfTree, proportionalMiB } from './memory-of-tree';
export { comesTrue, waitUntil } from './wait-until';
export { type BlockRun, openReader } from './documentation/reader';
export { blocksOf } from './documentation/page-blocks';
export { type Told, wordingFaults, wordsOf } from './wording';
export { withRecordings } from './with-recordings';
export { findProgram } from './find-program';
export { findPython, runPython } from './python';
export { findChromium, launchChromium, openBrowserPage } from './chromium/chromium';
export { serveBuild } from './chromium/serve-build';
export {
  type LabPageAnswer,
  openRecomputePage,
  type PageAnswer,
  type PageRequest,
  type RecomputePage,
} from './chromium/recompute-page';
export { type StandInStripe, startStandInStripe, type StripeCall } from './stripe/stand-in-stripe';
export { stripeEvents } from './stripe/stripe-events';
export { accountAddressOf, keyOfNewTenant, operatorOf } from './new-tenant';
export { pathOf, PORTAL_PAGES, servedPages } from './portal/pages';
export { sharePacket } from './portal/share-packet';
export {
  axeFaults,
  keptBy,
  newVisitor,
  openPage,
  openPortalAccount,
  overhang,
  type PortalAccount,
  scrollTo,
  type Visiting,
} from './portal/visit';
