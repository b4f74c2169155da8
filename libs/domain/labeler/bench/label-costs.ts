import { decodeEvent } from '@market-state/market-data';
import { createState, loadPolicy, reduce } from '../src/index';
import { dayLog } from './day-log';

/**
 * `npx tsx libs/domain/labeler/bench/label-costs.ts`: what the labeler takes for a packet, the median, and what of its CPU time is left for
 * each event that gives none, decoding included, of some hours of one symbol. The last line is `{"packetMs":…,"eventUs":…}`.
 */
const HOURS = 3;
/** Until code has been compiled. */
const WARM_MINUTES = 60;

const state = createState('BTCUSD-PERP', loadPolicy());
const packetTimesMs: number[] = [];
let [cpuMs, events, minutes] = [0, 0, 0];

for (const batch of dayLog(HOURS)) {
  const isCounted = ++minutes > WARM_MINUTES;
  const before = process.cpuUsage();
  for (const bytes of batch) {
    const startedMs = performance.now();
    const total = reduce(state, decodeEvent(bytes)).length;
    if (!isCounted) continue;
    if (total > 0) packetTimesMs.push((performance.now() - startedMs) / total);
    else events += 1;
  }
  const { user, system } = process.cpuUsage(before);
  if (isCounted) cpuMs += (user + system) / 1_000;
}

const packetMs = packetTimesMs.sort((one, other) => one - other)[Math.floor(packetTimesMs.length / 2)] ?? NaN;
const eventUs = ((cpuMs - packetMs * packetTimesMs.length) * 1_000) / events;
process.stdout.write(`${JSON.stringify({ packetMs, eventUs })}\n`);
