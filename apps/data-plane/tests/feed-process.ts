import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundleProcess } from './bundle-process';

/** The feed's own bundle, to be started as a process and killed. */
interface FeedBundle {
  start(env: Readonly<Record<string, string>>): FeedProcess;
  remove(): void;
}

export interface FeedProcess {
  /** Ends the process at once, wherever it is, and resolves when it is gone. */
  kill(): Promise<void>;
  /** Asks it to stop; resolves with its exit code. */
  stop(): Promise<number | null>;
  /** What it has written so far. */
  output(): string;
}

export function buildFeed(): FeedBundle {
  const folder = mkdtempSync(join(tmpdir(), 'feed-bundle-'));
  const outfile = join(folder, 'feed.js');
  bundleProcess('feed-main.ts', outfile);
  return {
    start(env) {
      const child = spawn(process.execPath, [outfile], { env: { PATH: process.env['PATH'], ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
      return processOf(child);
    },
    remove: () => rmSync(folder, { recursive: true }),
  };
}

function processOf(child: ChildProcess): FeedProcess {
  let output = '';
  const keep = (piece: Buffer): void => void (output += piece.toString());
  child.stdout?.on('data', keep);
  child.stderr?.on('data', keep);
  const gone = once(child, 'exit');
  const end = async (signal: NodeJS.Signals): Promise<number | null> => {
    child.kill(signal);
    const [code] = (await gone) as [number | null];
    return code;
  };
  return { kill: async () => void (await end('SIGKILL')), stop: () => end('SIGTERM'), output: () => output };
}
