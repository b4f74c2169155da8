import { releasedPrograms, root } from './programs.mjs';
import { contentsOf, recordRelease } from './release.mjs';

/** `node tools/bundle/record-main.mjs` */
const builtAt = releasedPrograms.map((name) => contentsOf(name).built_at_utc);
recordRelease(root, releasedPrograms, { built_at_utc: builtAt.sort().at(-1), recorded_at_utc: new Date().toISOString() });
