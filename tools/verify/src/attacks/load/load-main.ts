import type { LoadOrder } from './load-order';
import { runLoad } from './run-load';

/**
 * A program of its own, told by its parent what to send: the first message is the order, any later one the stop. It imports little, so
 * that it begins at once.
 */
const stop = new AbortController();

process.once('message', (order: LoadOrder) => {
  process.on('message', () => stop.abort());
  runLoad(order, stop.signal)
    .then((report) => process.send?.(report, () => process.disconnect()))
    .catch((error: Error) => {
      process.stderr.write(`${error.stack}\n`);
      process.exit(1);
    });
});
process.once('disconnect', () => process.exit());
