import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { boards } from './boards/boards';
import { toDashboard } from './boards/to-dashboard';
import { monitoringFolder } from './files';

/** `npm run generate` runs it: writes `deploy/monitoring/boards/*.json` from their descriptions. */
const folder = join(monitoringFolder(), 'boards');
mkdirSync(folder, { recursive: true });
for (const board of boards) writeFileSync(join(folder, `${board.id}.json`), `${JSON.stringify(toDashboard(board), null, 2)}\n`);
