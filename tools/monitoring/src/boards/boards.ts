import type { Board } from './board';
import { credits } from './credits';
import { edge } from './edge';
import { exportJobs } from './exports';
import { overview } from './overview';
import { stores } from './stores';
import { webhooks } from './webhooks';

/** Every board, in the order of docs. */
export const boards: readonly Board[] = [overview, edge, credits, exportJobs, webhooks, stores];
