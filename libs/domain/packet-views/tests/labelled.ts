import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { createState, loadPolicy, type Packet, reduce } from '@market-state/labeler';
import { instrumentOf, type MarketEvent, recordingLines, recordingLog } from '@market-state/market-data';
import { type ScenarioName, scenarioEvents } from '@market-state/scenarios';
import { definitionsOf, type LoggedPacket } from '../src';

const FOLDER = join(import.meta.dirname, '../../market-data/recordings/binance-coinm');
const policy = loadPolicy();

export const definitions = definitionsOf(policy);

function* firstPass(): Generator<MarketEvent> {
  const lines = ['btcusd_perp_20240808.gz', 'btcusd_perp_20240809.gz'].flatMap((file) => [
    ...recordingLines(gunzipSync(readFileSync(join(FOLDER, file)))),
  ]);
  for (const event of recordingLog({ instrument: instrumentOf('BTCUSD-PERP'), lines, firstShiftMs: 0 })) {
    if (event.pass > 1) return;
    yield event;
  }
}

function labelled(symbol: string, events: Iterable<MarketEvent>): LoggedPacket[] {
  const state = createState(symbol, policy);
  const packets: LoggedPacket[] = [];
  for (const event of events) {
    for (const { body, windowEndMs } of reduce(state, event))
      packets.push({ packet: JSON.parse(body) as Packet, windowEndMs, sequence: packets.length + 1 });
  }
  return packets;
}

/** Cached per process: labelling one market takes a second. */
const markets = new Map<string, readonly LoggedPacket[]>();

function labelledOnce(market: string, label: () => readonly LoggedPacket[]): readonly LoggedPacket[] {
  const packets = markets.get(market) ?? label();
  markets.set(market, packets);
  return packets;
}

/** Packets of the bundled BTCUSD-PERP recording, without context or liquidations. Shared: do not modify. */
export function recordedPackets(): readonly LoggedPacket[] {
  return labelledOnce('recorded', () => labelled('BTCUSD-PERP', firstPass()));
}

/** Packets of a simulated market with every channel. Shared: do not modify. */
export function simulatedPackets(scenario: ScenarioName, hours: number): readonly LoggedPacket[] {
  return labelledOnce(`${scenario} ${hours}`, () => labelled('SIMUSD-PERP', scenarioEvents({ scenario, hours, seed: 7 })));
}
