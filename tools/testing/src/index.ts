export {
  compareTail,
  type CommandLine,
  openCommandLine,
  type Format,
  FORMATS,
  formatFault,
  readCommands,
  completionsIn,
  hasShell,
  SHELLS,
} from './command-line';
export { type Agent, type Era, ERAS, openHttpAgent, openStdioAgent, type ToolAnswer } from './agents';
export { freePort } from '@market-state/launcher';
export type { DatabaseService, System } from '@market-state/launcher';
export { bundleOf, startSystem } from './start-system';
export { hasRedisServer, type RedisCluster, startRedisCluster } from './redis-cluster';
export { startStores, flushRedis, restartPostgres, restartRedis } from './stores/start-stores';
export type { TestStores } from './stores/start-stores';
export { hasSwift, startSwift, type Swift, openSwiftBucket, type SwiftBucket } from './swift';
export { patientPeer, testPeer, testRpcSettings, testRpcVariables, testServing, bareCall, type Keyed } from './rpc';
export { comesTrue, waitUntil } from './wait-until';
export { type BlockRun, openReader, blocksOf } from './documentation-reader';
export { type Reported, wordingFaults, wordsOf } from './wording';
export { withRecordings } from './with-recordings';
export { canInstallPackages, findProgram, findPython, runPython } from './find-program';
export { findChromium, launchChromium, openBrowserPage, serveBuild } from './chromium/chromium';
export {
  type LabPageAnswer,
  openRecomputePage,
  type PageAnswer,
  type PageRequest,
  type RecomputePage,
} from './chromium/recompute-page';
export { startOidcProvider, type TestOidcProvider } from './oidc-provider';
export { type StandInStripe, startStandInStripe, type StripeCall, stripeEvents } from './stand-in-stripe';
export { pathOf, PORTAL_PAGES, servedPages, sharePacket } from './portal/pages';
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
export { SECRET, startAccountProcess, endProcess, spawnOwned, type KillableProcess, startProcess } from './processes/start-process';
export { opsUrlOf, readMetrics, type Metrics, readProcessMetrics } from './processes/metrics';
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
export { accountAddressOf, keyOfNewTenant, operatorOf, ALL_SCOPES, openTenants, type Tenant, type Tenants } from './tenants';
export { openPrivateStores } from './stores/test-servers';
export { type Answer, type Call, type Caller, callOnce, errorCodeOf, ifNoAnswer, lastMsOf, NoAnswer, openCaller, statusesOf } from './http';
export { openFolder } from './open-folder';
export { openDatabaseWire, openWire, type Wire } from './wire';
export { withCloser } from './with-closer';
export { addUp, atOnce, countsOf, createRandom, oneOf, percentile, rounded, shuffle, sumOf, wholeBetween } from './pure';
