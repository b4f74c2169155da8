import { inTransaction } from '@market-state/postgres';
import type { Pool } from 'pg';
import type { WorkerDeps } from '../delivery/worker-deps';
import { type Ring, ringLanes } from '../lanes/ring';
import { holdLane } from '../store/lanes';
import { finishTask, listOpenTasks, noteTask, type OpenTask, sendPage } from '../store/tasks';

const TASKS_MAX = 50;
const PAGE = 500;

/**
 * Makes the next page of each task due once the one before it is sent, and finishes those that have no more. One process at a time does
 * so.
 */
export async function advanceTasks({ pool, bell, clock }: Pick<WorkerDeps, 'pool' | 'bell' | 'clock'>): Promise<void> {
  for (const task of await listOpenTasks(pool, TASKS_MAX)) await bell.ring(await advance(pool, task, clock()));
}

function advance(pool: Pool, task: OpenTask, nowMs: number): Promise<Ring[]> {
  return inTransaction(pool, async (client) => {
    // Its lane is locked before its deliveries, as everywhere. Without one its endpoint was deleted.
    if (!(await holdLane(client, task.tenantId, task.endpointId)) || task.isComplete) {
      await finishTask(client, task.taskId, nowMs);
      return [];
    }
    const page = await sendPage(client, task, nowMs, PAGE);
    await noteTask(client, task, page);
    return page.found > 0 ? ringLanes(client, [task.endpointId], nowMs) : [];
  });
}
