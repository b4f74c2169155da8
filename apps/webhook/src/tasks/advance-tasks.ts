import { inTransaction } from '@market-state/postgres';
import type { WorkerDeps } from '../delivery/worker-deps';
import { ringLanes } from '../lanes/ring';
import { finishTask, lockOpenTasks, noteTask, sendPage } from '../store/tasks';

const TASKS_MAX = 50;
const PAGE = 500;

/** Makes the next page of each task due once the one before it is sent, and finishes those that have no more. */
export async function advanceTasks({ pool, bell, clock }: Pick<WorkerDeps, 'pool' | 'bell' | 'clock'>): Promise<void> {
  const rings = await inTransaction(pool, async (client) => {
    const due = new Set<string>();
    const nowMs = clock();
    for (const task of await lockOpenTasks(client, TASKS_MAX)) {
      if (task.waiting > 0) continue;
      if (task.isComplete) {
        await finishTask(client, task.taskId, nowMs);
        continue;
      }
      const page = await sendPage(client, task, nowMs, PAGE);
      await noteTask(client, task, page);
      if (page.found > 0) due.add(task.endpointId);
    }
    return ringLanes(client, [...due], nowMs);
  });
  await bell.ring(rings);
}
