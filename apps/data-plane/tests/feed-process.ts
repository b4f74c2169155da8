import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundleProcess } from './bundle-process';

/** Bundled feed to start as a process and kill. */
interface FeedBundle {
  start(env: Readonly<Record<string, string>>): FeedProcess;
  remove(): void;
}

export interface FeedProcess {
  /** SIGKILL; resolves once it is gone. */
  kill(): Promise<void>;
  /** Graceful stop; resolves with the exit code. */
  stop(): Promise<number | null>;
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
