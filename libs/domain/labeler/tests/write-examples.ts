import { writeFileSync } from 'node:fs';
import { EXAMPLES_FILE, examplePackets } from './example-packets';

// Rewrites docs/examples: node --import @oxc-node/core/register libs/domain/labeler/tests/write-examples.ts
writeFileSync(
  EXAMPLES_FILE,
  `${examplePackets()
    .map(({ body }) => body)
    .join('\n')}\n`,
);
