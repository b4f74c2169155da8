import { readRpcConfig, startDataPlane } from '../src';

/** The RPC process for a benchmark: tells its parent its address when it serves, and ends with it. */
async function main(): Promise<void> {
  const dataPlane = await startDataPlane(readRpcConfig(process.env));
  process.on('disconnect', () => process.exit());
  await dataPlane.whenReady;
  process.send?.(dataPlane.address);
}

void main();
