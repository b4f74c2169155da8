import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { instrumentOf, recordingLines, recordingLog, type MarketEvent } from '@market-state/market-data';

const FOLDER = join(import.meta.dirname, '../../market-data/recordings/binance-coinm');
const FILES: Readonly<Record<string, readonly string[]>> = {
  'BTCUSD-PERP': ['btcusd_perp_20240808.gz', 'btcusd_perp_20240809.gz'],
  'ETHUSD-PERP': ['ethusd_perp_20240808.gz', 'ethusd_perp_20240809.gz'],
};

export const RECORDED_SYMBOLS = Object.keys(FILES);

interface Playing {
  readonly log: Iterator<MarketEvent, never>;
  readonly passes: (readonly MarketEvent[])[];
  next: MarketEvent;
}

/** Cached per process: playing a pass takes a third of a second. */
const playings = new Map<string, Playing>();

/**
 * Events of one pass (1-based) over a bundled recording; the first has the recording's own times. Shared: do not
 * modify.
 */
export function recordingPass(symbol: string, pass: number): readonly MarketEvent[] {
  const playing = playings.get(symbol) ?? begin(symbol);
  playings.set(symbol, playing);
  while (playing.passes.length < pass) playPass(playing);
  return playing.passes[pass - 1] ?? [];
}

/** Log of `passes` passes over a bundled recording. Shared: do not modify. */
export function recordingEvents(symbol: string, passes = 1): readonly MarketEvent[] {
  return Array.from({ length: passes }, (_none, index) => recordingPass(symbol, index + 1)).flat();
}

function begin(symbol: string): Playing {
  const lines = (FILES[symbol] ?? []).flatMap((file) => [...recordingLines(gunzipSync(readFileSync(join(FOLDER, file))))]);
  const log = recordingLog({ instrument: instrumentOf(symbol), lines, firstShiftMs: 0 });
  return { log, passes: [], next: log.next().value };
}

function playPass(playing: Playing): void {
  const pass = playing.passes.length + 1;
  const events: MarketEvent[] = [];
  for (; playing.next.pass === pass; playing.next = playing.log.next().value) events.push(playing.next);
  playing.passes.push(events);
}
