import { startSystem, type System } from '../../src/index';
import { describeAccounts } from './accounts';
import { describeAgents } from './agents';
import { createApi } from './api';
import { describeClientExamples } from './client-examples';
import { describeCommandLine } from './command-line';
import { describeCredentialWalk } from './credential-walk';
import { describeDataPlane } from './data-plane';
import { describeVenueFacts } from './data-venue-facts';
import type { DefaultSystem } from './default-system';
import { describeListeners } from './every-listener';
import { describeDocumentation } from './documentation';
import { describeEventBundle } from './event-bundle';
import { describeExports } from './exports';
import { firstAlertTests } from './first-alert';
import { describeListWalk } from './list-walk';
import { describeMainJob } from './main-job';
import { describeMarketState } from './market-state';
import { describeMonitoring } from './monitoring';
import { describePacketEvents } from './packet-events';
import { describePacketLinks } from './packet-links';
import { describePortal } from './portal-pages';
import { describePreviews } from './previews';
import { describePythonClient } from './python-client';
import { describeSandboxAndSecrets } from './sandbox-and-secrets';
import { readDocument } from './served-document';
import { describeServiceRecord } from './service-record';
import { describeVerify } from './verify';

let system: System;
let started: DefaultSystem;

beforeAll(async () => {
  // All tests come from one address. An hour of history is what they need, whatever the minute of the hour in which they begin.
  system = await startSystem({ settings: { TRIALS_PER_ADDRESS: '20', SANDBOX_KEYS_PER_DAY: '20', FEED_HISTORY_MINUTES: '65' } });
  const readyMs = Date.now();
  const key = await system.demoKey();
  const api = createApi(system, key);
  started = { system, api, key, served: await readDocument(api), readyMs };
});

afterAll(() => system?.stop());

const firstAlert = firstAlertTests(() => started);

// Previews are looked at right after the start; what changes rows and takes them away comes last.
// What waits for the market is begun early and looked at late.
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
describe('first alert: what comes of them', firstAlert.describeArrival);
describe('examples of the SDK', () => describeClientExamples(() => started));
describe('Python client', () => describePythonClient(() => started));
describe('what a venue reports, and what it does not', () => describeVenueFacts(() => started));
describe('agents', () => describeAgents(() => started));
describe('portal', () => describePortal(() => started));
describe('documentation', () => describeDocumentation(() => started));
describe('exports', () => describeExports(() => started));
describe('command line', () => describeCommandLine(() => started));
describe('packet links', () => describePacketLinks(() => started));
describe('bundle of an event', () => describeEventBundle(() => started));
describe('service record', () => describeServiceRecord(() => started));
describe('verify', () => describeVerify(() => started));
describe('packet events', () => describePacketEvents(() => started));
describe('monitoring', () => describeMonitoring(() => started));
