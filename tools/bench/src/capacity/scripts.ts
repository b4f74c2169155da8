import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { workspaceRoot } from '@market-state/launcher';
import type { z } from 'zod';
import { type Measured, measuredShape } from './figures';

const LABELER = 'libs/domain/labeler/bench/label-costs.ts';
const DELIVERIES = 'apps/webhook/bench/deliver.ts';
const SCRIPT_MS_MAX = 600_000;

const { label, webhooks } = measuredShape.shape;

/** What a packet and an event cost the labeler, and what deliveries cost a worker, each measured by a script of its project. */
export async function measureByScripts(): Promise<Pick<Measured, 'label' | 'webhooks'>> {
  return { label: await figuresOf(LABELER, label), webhooks: await figuresOf(DELIVERIES, webhooks) };
}

/** The figures that a script prints as its last line, JSON. @throws Error when it fails or prints none */
async function figuresOf<Shape extends z.ZodType>(file: string, shape: Shape): Promise<z.output<Shape>> {
  const root = workspaceRoot();
  const tsx = createRequire(join(root, 'package.json')).resolve('tsx/cli');
  const child = spawn(process.execPath, [tsx, join(root, file), 'figures'], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'inherit'],
    timeout: SCRIPT_MS_MAX,
  });
  let printed = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (printed += text));
  const code = await new Promise<number | null>((resolve, reject) => {
    child.on('error', reject);
    child.on('exit', resolve);
  });
  if (code !== 0) throw new Error(`${file} ended with ${code}.`);
  return shape.parse(JSON.parse(printed.trim().split('\n').at(-1) ?? ''));
}
