import { readRpcConfig, startDataPlane } from '../src';

/** RPC process for a benchmark: reports its address to the parent and exits with it. */
async function main(): Promise<void> {
  const dataPlane = await startDataPlane(readRpcConfig(process.env));
  process.on('disconnect', () => process.exit());
  await dataPlane.whenReady;
  process.send?.(dataPlane.address);
}

void main();
