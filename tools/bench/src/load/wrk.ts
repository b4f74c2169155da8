import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { workspaceRoot } from '@market-state/launcher';

const CONNECTIONS = 64;

export interface WrkResult {
  readonly requests: number;
  readonly durationUs: number;
  readonly p50Us: number;
  readonly p99Us: number;
  /** Answers from 400 on. */
  readonly bad: number;
  /** Calls without an answer. */
  readonly broken: number;
}

/** The answers that wrk has of an address at full speed; undefined when wrk is not on this machine. */
export async function runWrk(url: string, keys: readonly string[], seconds: number): Promise<WrkResult | undefined> {
  const script = join(workspaceRoot(), 'tools', 'bench', 'src', 'load', 'rotate-keys.lua');
  try {
    const { stdout } = await promisify(execFile)('wrk', ['-t1', `-c${CONNECTIONS}`, `-d${seconds}s`, '-s', script, url, '--', ...keys]);
    return JSON.parse(/^result (.*)$/m.exec(stdout)?.[1] ?? '') as WrkResult;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
