import { costOf, PRICE_VERSION, priceOf, streamCost, WORKLOAD_FAMILIES } from './index';
import document from '../data/prices.json';

test('every family of the table is known, and no other', () => {
  expect(Object.keys(document.families).sort()).toEqual([...WORKLOAD_FAMILIES].sort());
  expect(PRICE_VERSION).toBe('market_state_prices.v2');
});

test.each([
  ['latest_packet', 1, 1],
  ['latest_packet', 3, 3],
  ['derived_read', 0, 1],
  ['packet_replay', 25, 2],
  ['packet_replay', 26, 3],
  ['packet_history', 0, 1],
  ['packet_history', 100, 5],
  ['event_evidence', 0, 2],
  ['workbench', 0, 3],
  ['market_data_latest', 249, 1],
  ['market_data_latest', 250, 2],
  ['market_data_latest', 1_000, 5],
  ['market_data_candles', 1, 2],
  ['market_data_candles', 1_000, 3],
  ['market_data_replay_window', 5_000, 7],
  ['market_data_replay_window', 5_001, 8],
  ['connector_spec', 0, 1],
  ['workflow_automation', 0, 1],
  ['export_job', 1, 2],
  ['export_job', 100_000, 2],
  ['export_job', 100_001, 3],
] as const)('%s of %d units costs %d', (family, units, credits) => {
  expect(costOf(family, units)).toBe(credits);
});

test('only exports cost export credits', () => {
  expect(WORKLOAD_FAMILIES.filter((family) => priceOf(family).credit === 'export')).toEqual(['export_job']);
});

test('units that cannot be counted are refused', () => {
  for (const units of [-1, 0.5, NaN, Infinity]) expect(() => costOf('packet_replay', units)).toThrow(RangeError);
});

test('a started hundred of messages costs a credit', () => {
  expect([0, 1, 100, 101].map(streamCost)).toEqual([0, 1, 1, 2]);
});
