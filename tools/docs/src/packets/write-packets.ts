import { mkdirSync, writeFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { packetResultLine, type PacketResult, createState, loadPolicy, reduce } from '@market-state/labeler';
import { bundledFiles, instrumentOf, recordingLines, recordingLog, type MarketEvent } from '@market-state/market-data';
import { scenarioEvents } from '@market-state/scenarios';
import { packetChoices, type PacketChoice, type PacketLog, packetFolder } from './packet-file';
import { workspaceFolder } from '../site/page';

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

// node --import @oxc-node/core/register tools/docs/src/packets/write-packets.ts
const logs = new Map(packetChoices.map((choice) => [JSON.stringify(choice.log), choice.log]));
mkdirSync(packetFolder(), { recursive: true });
for (const [key, log] of logs) {
  const wanted = packetChoices.filter((choice) => JSON.stringify(choice.log) === key);
  const found = new Map<PacketChoice, PacketResult>();
  for (const result of packetsOfLog(log)) {
    for (const choice of wanted) if (result.windowEndMs === Date.parse(choice.windowEndUtc)) found.set(choice, result);
    if (found.size === wanted.length) break;
  }
  for (const choice of wanted) write(choice, found.get(choice));
}

/** Keeps the row on one line, because its digests cover these bytes. */
function write(choice: PacketChoice, result: PacketResult | undefined): void {
  const { kind, word, log, windowEndUtc } = choice;
  const described = describeLog(log);
  if (result === undefined) throw new Error(`${described.log}: no packet at ${windowEndUtc}`);
  const is = kind === 'states' ? result.packet.state : result.packet.event_class;
  if (is !== word) throw new Error(`${described.log}: the packet at ${windowEndUtc} is ${is}, not ${word}`);
  const head = JSON.stringify({ word, kind, source: { ...described, window_end_utc: windowEndUtc } }, null, 2);
  writeFileSync(join(packetFolder(), `${word}.json`), `${head.slice(0, -2)},\n  "row": ${packetResultLine(result)}\n}\n`);
  process.stdout.write(`${word}: ${described.log}, ${windowEndUtc}\n`);
}
