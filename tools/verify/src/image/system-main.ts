import { execFileSync } from 'node:child_process';
import { withCloser } from '@market-state/testing';
import type { SystemMessage } from './run-system';
import { verifySystem } from './system';

/** A program of its own, because its network is: its parent's message says where the images are, and it ends when its parent does. */
const say = (line: string): void => void process.stdout.write(`${line}\n`);

process.once('message', ({ images }: SystemMessage) => {
  execFileSync('ip', ['link', 'set', 'lo', 'up']);
  withCloser((closer) => verifySystem(closer, images, say))
    .then((result) => process.send?.(result, () => process.disconnect()))
    .catch((error: Error) => {
      process.stderr.write(`${error.stack}\n`);
      process.exit(1);
    });
});
process.once('disconnect', () => process.exit());
