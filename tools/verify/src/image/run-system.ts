import { spawn } from 'node:child_process';
import { programFile } from '@market-state/launcher';
import type { Closer } from '@market-state/lifecycle';
import type { SuiteResult } from '../harness';

/** What the program of the system is told, and what it says at its end. */
export type SystemMessage = { readonly images: string };

/**
 * Runs the whole product out of unpacked images, in a process whose network has loopback alone.
 * @param images folder of the unpacked images
 */
export async function runSystemOfImages(closer: Closer, images: string, say: (line: string) => void): Promise<SuiteResult> {
  const child = spawn('unshare', ['--net', process.execPath, programFile('verify-image-system')], {
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
  child.stdout?.on('data', (chunk: Buffer) => chunk.toString().trimEnd().split('\n').forEach(say));
  const done = new Promise<SuiteResult>((resolve, reject) => {
    child.once('message', (result) => resolve(result as SuiteResult));
    child.once('error', reject);
    child.once('exit', (code) => reject(new Error(`The program that runs the images ended with code ${code} and no report.`)));
  });
  done.catch(() => undefined);
  const ended = new Promise<void>((resolve) => void child.once('exit', () => resolve()));
  closer.add('system of images', async () => {
    if (child.connected) child.disconnect();
    await ended;
  });
  child.send({ images } satisfies SystemMessage);
  return done;
}
