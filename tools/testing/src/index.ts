export { compareTail } from './command-line/compare-tail';
export { type CommandLine, openCommandLine } from './command-line/open-command-line';
export { type Format, FORMATS, formatFault, readCommands } from './command-line/read-commands';
export { completionsIn, hasShell, SHELLS } from './command-line/shell-completion';
export { type Agent, type Era, ERAS, openHttpAgent, openStdioAgent, type ToolAnswer } from './agents/open-agent';
export { freePort } from '@market-state/launcher';
export type { DatabaseService, System } from '@market-state/launcher';
export { bundleOf, startSystem } from './start-system';
export { hasRedisServer, type RedisCluster, startRedisCluster } from './redis-cluster/start-redis-cluster';
export { startStores } from './stores/start-stores';
export type { TestStores } from './stores/start-stores';
export { hasSwift, startSwift, type Swift } from './swift/start-swift';
export { openSwiftBucket, type SwiftBucket } from './swift/swift-bucket';
export { patientPeer, testPeer, testRpcSettings, testRpcVariables, testServing } from './rpc';
export { comesTrue, waitUntil } from './wait-until';
export { type BlockRun, openReader } from './documentation/reader';
export { blocksOf } from './documentation/page-blocks';
export { type Told, wordingFaults, wordsOf } from './wording';
export { withRecordings } from './with-recordings';
export { canInstallPackages, findProgram } from './find-program';
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
export { SECRET, startAccountProcess } from './processes/account-process';
export { opsUrlOf, readMetrics, type Metrics, readProcessMetrics } from './processes/metrics';
export { endProcess, spawnOwned } from './processes/own-process';
export {
  cpuMsBelow,
  cpuMsOf,
  memoryOfTree,
  pidsBelow,
  programOf,
  proportionalMiB,
  restingCpu,
  watchTree,
} from './processes/process-tree';
export { type KillableProcess, startProcess } from './processes/start-process';
export { accountAddressOf, keyOfNewTenant, operatorOf } from './tenants/new-tenant';
export { ALL_SCOPES, openTenants, type Tenant, type Tenants } from './tenants/tenants';
export { openPrivateStores } from './stores/private-stores';
export { flushRedis, restartPostgres, restartRedis } from './stores/store-faults';
export { bareCall, type Keyed } from './bare-rpc';
export { type Answer, type Call, type Caller, callOnce, errorCodeOf, ifNoAnswer, lastMsOf, NoAnswer, openCaller, statusesOf } from './http';
export { openFolder } from './open-folder';
export { openDatabaseWire, openWire, type Wire } from './wire';
export { withCloser } from './with-closer';
export { addUp, atOnce, countsOf, createRandom, oneOf, percentile, rounded, shuffle, sumOf, wholeBetween } from './pure';
