import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { createState, loadPolicy, type PacketResult, reduce } from '@market-state/labeler';
import { bundledFiles, instrumentOf, type MarketEvent, recordingLines, recordingLog } from '@market-state/market-data';
import { scenarioEvents } from '@market-state/scenarios';
import { workspaceFolder } from '../site/page';
import type { PacketLog } from './packet-file';

const RECORDINGS = 'libs/domain/market-data/recordings/binance-coinm';

export function* packetsOfLog(log: PacketLog): Generator<PacketResult> {
  const [symbol, events] = eventsOf(log);
  const state = createState(symbol, loadPolicy());
  for (const event of events) yield* reduce(state, event);
}

export function describeLog(log: PacketLog): { readonly log: string; readonly commands: readonly string[] } {
  if ('recording' in log)
    return {
      log: `bundled recording of ${log.recording} (Binance COIN-M), first pass, at its own times`,
      commands: [`npx market-state label ${filesOf(log.recording).join(' ')} --out packets.ndjson`],
    };
  const { scenario, seed, hours } = log;
  return {
    log: `scenario ${scenario}, seed ${seed}`,
    commands: [
      `npx market-state scenario ${scenario} --seed ${seed} --hours ${hours} --out rows.ndjson`,
      'npx market-state label rows.ndjson --out packets.ndjson',
    ],
  };
}

/** A recording repeats endlessly: only its first pass has its own times. */
function eventsOf(log: PacketLog): readonly [symbol: string, events: Iterable<MarketEvent>] {
  if ('recording' in log) return [log.recording, firstPass(log.recording)];
  return [SIMULATED, scenarioEvents({ ...log, symbol: SIMULATED })];
}

const SIMULATED = 'SIMUSD-PERP';

function* firstPass(symbol: string): Generator<MarketEvent> {
  const lines = filesOf(symbol).flatMap((file) => [...recordingLines(gunzipSync(readFileSync(join(workspaceFolder, file))))]);
  for (const event of recordingLog({ instrument: instrumentOf(symbol), lines, firstShiftMs: 0 })) {
    if (event.pass > 1) return;
    yield event;
  }
}

function filesOf(symbol: string): readonly string[] {
  return (bundledFiles[symbol] ?? []).map((file) => `${RECORDINGS}/${file}`);
}
