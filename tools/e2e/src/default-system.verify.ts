import { startSystem, type System } from '@market-state/testing';
import { describeAccounts } from './cases/accounts/accounts';
import { describeAgents } from './cases/clients/agents';
import { createApi } from './system/api';
import { describeClientExamples, describePythonClient } from './cases/clients/client-examples';
import { describeCommandLine } from './cases/clients/command-line';
import { describeCredentialWalk } from './cases/accounts/credential-walk';
import { describeDataPlane } from './cases/data/data-plane';
import { describeVenueFacts } from './cases/data/data-venue-facts';
import type { DefaultSystem } from './system/default-system';
import { describeListeners } from './cases/operations/every-listener';
import { describeDocumentation } from './cases/pages/documentation';
import { describeEventBundle } from './cases/packets/event-bundle';
import { describeExports } from './cases/data/exports';
import { firstAlertTests } from './cases/clients/first-alert';
import { describeListWalk } from './cases/accounts/list-walk';
import { describeMainJob } from './cases/packets/main-job';
import { describeMarketState } from './cases/packets/market-state';
import { describeMonitoring } from './cases/operations/monitoring';
import { describePacketEvents } from './cases/packets/packet-events';
import { describePacketLinks } from './cases/packets/packet-links';
import { describePortal } from './cases/pages/portal-pages';
import { describePreviews } from './cases/packets/previews';
import { describeSandboxAndSecrets } from './cases/accounts/sandbox-and-secrets';
import { readDocument } from './system/served-document';
import { describeServiceRecord } from './cases/operations/service-record';
import { describeVerify } from './cases/packets/verify';

let system: System;
let started: DefaultSystem;

beforeAll(async () => {
  // All tests come from one address and need an hour of history, whatever the current minute.
  system = await startSystem({ settings: { TRIALS_PER_ADDRESS: '20', SANDBOX_KEYS_PER_DAY: '20', FEED_HISTORY_MINUTES: '65' } });
  const readyMs = Date.now();
  const key = await system.demoKey();
  const api = createApi(system, key);
  started = { system, api, key, served: await readDocument(api), readyMs };
});

afterAll(() => system?.stop());

const firstAlert = firstAlertTests(() => started);

// Previews are tested right after the start, and tests that change or delete rows come last. Tests that wait for the
// market start early and finish late.
describe('previews', () => describePreviews(() => started));
describe('main job', () => describeMainJob(() => started));
describe('first alert: its commands', firstAlert.describeCommands);
describe('listeners', () => describeListeners(() => started));
describe('accounts', () => describeAccounts(() => started));
describe('market state', () => describeMarketState(() => started));
describe('data plane', () => describeDataPlane(() => started));
describe('sandbox keys and secrets', () => describeSandboxAndSecrets(() => started));
describe('every keyed route', () => describeCredentialWalk(() => started));
describe('every list', () => describeListWalk(() => started));
describe('first alert: its results', firstAlert.describeArrival);
describe('examples of the SDK', () => describeClientExamples(() => started));
describe('Python client', () => describePythonClient(() => started));
describe('facts that a venue reports or omits', () => describeVenueFacts(() => started));
describe('agents', () => describeAgents(() => started));
describe('portal', () => describePortal(() => started));
describe('documentation', () => describeDocumentation(() => started));
describe('exports', () => describeExports(() => started));
describe('command line', () => describeCommandLine(() => started));
describe('packet links', () => describePacketLinks(() => started));
describe('event bundle', () => describeEventBundle(() => started));
describe('service record', () => describeServiceRecord(() => started));
describe('verify', () => describeVerify(() => started));
describe('packet events', () => describePacketEvents(() => started));
describe('monitoring', () => describeMonitoring(() => started));
