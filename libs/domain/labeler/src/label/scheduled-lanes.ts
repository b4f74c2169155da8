import { historyBlocks, historyLane } from '../lanes/history-lane';
import { laneInstant, sessionLane } from '../lanes/session-lane';
import type { PolicyNumbers } from '../policy/numbers';
import type { PacketRead } from '../read';
import type { PacketMemory } from './memory';

/**
 * The lanes that stand at an instant of event time before T, from packets at or before it: session_regime at the last multiple of 60 s at
 * or before T − 10 s, historical_replay at the last multiple of 300 s at or before T − 60 s. Each is read once, at the first packet of its
 * instant, and kept until the next.
 */
export function scheduledLanes(
  memory: PacketMemory,
  windowEndMs: number,
  numbers: PolicyNumbers,
): Pick<PacketRead['lanes'], 'sessionRegime' | 'historicalReplay'> {
  const { lanes } = numbers;
  const sessionMs = laneInstant(windowEndMs, lanes.session_every_ms, lanes.session_lag_ms);
  if (memory.sessionLane.asOfMs !== sessionMs) {
    memory.sessionLane.asOfMs = sessionMs;
    memory.sessionLane.read = sessionLane([...memory.history], sessionMs, numbers);
  }
  const historyMs = laneInstant(windowEndMs, lanes.history_every_ms, lanes.history_lag_ms);
  if (memory.historyLane.asOfMs !== historyMs) {
    const blocks = historyBlocks([...memory.history], memory.historyLane.asOfMs, historyMs, lanes.history_every_ms);
    for (const block of blocks) memory.historyBlocks.push(block);
    memory.historyLane.asOfMs = historyMs;
    memory.historyLane.read = historyLane([...memory.historyBlocks], historyMs, numbers);
  }
  return { sessionRegime: memory.sessionLane.read, historicalReplay: memory.historyLane.read };
}
