import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makePortalSample } from './portal-sample';

/** Writes the sample to `dist/portal-sample`, where the portal's build takes it from. */
const root = join(import.meta.dirname, '..', '..');
const folder = join(root, 'dist', 'portal-sample');
const { bundle, policy, summary } = makePortalSample(root);
mkdirSync(folder, { recursive: true });
writeFileSync(join(folder, 'bundle.ndjson.gz'), bundle);
writeFileSync(join(folder, 'policy.json'), policy);
writeFileSync(join(folder, 'summary.json'), summary);
