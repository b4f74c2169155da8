import { decodeEvent } from '@market-state/market-data';
import { createState, loadPolicy, reduce } from '../src/index';
import { dayLog } from './day-log';

/**
 * `node --import @oxc-node/core/register libs/domain/labeler/bench/label-costs.ts`: CPU time per packet and per event
 * without one, decoding included. The last line is `{"packetMs":…,"eventUs":…}`.
 */
const HOURS = 3;
/** Excluded while the JIT compiles. */
const WARM_MINUTES = 60;

function cpuMsSince(before: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

const state = createState('BTCUSD-PERP', loadPolicy());
let [cpuMs, packetCpuMs, packets, events, minutes] = [0, 0, 0, 0, 0];

for (const batch of dayLog(HOURS)) {
  const isCounted = ++minutes > WARM_MINUTES;
  const before = process.cpuUsage();
  for (const bytes of batch) {
    const event = decodeEvent(bytes);
    // Only ticks close windows.
    const beforeTick = event.kind === 'tick' ? process.cpuUsage() : undefined;
    const total = reduce(state, event).length;
    if (!isCounted) continue;
    packets += total;
    if (total === 0) events += 1;
    else if (beforeTick !== undefined) packetCpuMs += cpuMsSince(beforeTick);
  }
  if (isCounted) cpuMs += cpuMsSince(before);
}

const figures = { packetMs: packetCpuMs / packets, eventUs: ((cpuMs - packetCpuMs) * 1_000) / events };
process.stdout.write(`${JSON.stringify(figures)}\n`);
