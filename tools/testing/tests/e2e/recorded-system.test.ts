import { startSystem, type System } from '../../src/index';
import { describeAccounts } from './accounts';
import { createApi } from './api';
import { describeListeners } from './every-listener';
import { describeMainJob } from './main-job';
import type { RecordedSystem } from './recorded-system';
import { describePacketLinks } from './packet-links';
import { describeVerify } from './verify';

let system: System;
let started: RecordedSystem;

beforeAll(async () => {
  system = await startSystem({
    settings: { TRIALS_PER_ADDRESS: '20', FEED: 'recording', FEED_SPEED: '20', FEED_START: String(Date.now()) },
  });
  const key = await system.demoKey();
  started = { system, key, api: createApi(system, key) };
});

afterAll(() => system?.stop());

describe('main job', () => describeMainJob(() => started));
describe('listeners', () => describeListeners(() => started));
describe('accounts', () => describeAccounts(() => started));
// They need fourteen minutes of packets, which are made meanwhile.
describe('packet links', () => describePacketLinks(() => started));
// It changes rows.
describe('verify', () => describeVerify(() => started));
