import { readFileSync, writeFileSync } from 'node:fs';
import { cpus, loadavg, totalmem } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { startSystem, takeTemporaryFolder, workspaceRoot } from '@market-state/launcher';
import type { z } from 'zod';
import { enterpriseKeys } from '../reads/steady-load';
import { whenPrimed } from '../when-primed';
import { measureAtRest, measureStored, measureExport } from './stored';
import { type Measured, measuredShape } from './measurements';
import { capacityPage } from './page';
import { measureLatest, measureReaders, type ReadsPlan } from './reads';
import { runScript } from '../run-script';

const LABELER = 'libs/domain/labeler/bench/label-costs.ts';
const DELIVERIES = 'apps/webhook/bench/deliver.ts';

const { label, webhooks } = measuredShape.shape;

async function measureByScripts(): Promise<Pick<Measured, 'label' | 'webhooks'>> {
  return { label: await figuresOf(LABELER, label), webhooks: await figuresOf(DELIVERIES, webhooks) };
}

/** Values that a script prints as JSON in its last line. @throws Error if it fails or prints none */
async function figuresOf<Shape extends z.ZodType>(file: string, shape: Shape): Promise<z.output<Shape>> {
  const printed = await runScript(file, ['figures'], 'pipe');
  return shape.parse(JSON.parse(printed.trim().split('\n').at(-1) ?? ''));
}

export const MEASURED_FILE = join('tools', 'bench', 'src', 'capacity', 'measured.json');
export const PAGE_FILE = join('docs', 'capacity.md');

const SYMBOLS = ['BTCUSD-PERP', 'ETHUSD-PERP'];
const SETTINGS = { FEED: 'recording', SYMBOLS: SYMBOLS.join(','), CONNECTIONS_PER_ADDRESS: '2000' };
/** One tenant's plan allows 500 requests a second and 400 streams. */
const TENANTS = 20;
const BYTES_OF_GIB = 1_024 ** 3;
const SETTLE_MS = 20_000;
/** Significant digits; more would be noise. */
const DIGITS = 3;

interface CapacityPlan {
  readonly restMs: number;
  readonly reads: ReadsPlan;
  readonly readers: number;
  readonly readersMs: number;
}

export async function measureCapacity(plan: CapacityPlan, say: (line: string) => void): Promise<void> {
  const machine = {
    cores: cpus().length,
    processor: cpus()[0]?.model.trim() || 'unknown',
    memoryGiB: totalmem() / BYTES_OF_GIB,
    node: process.version.slice(1),
    loadAverage: loadavg()[0] ?? 0,
  };
  const byScripts = await measureByScripts();
  say(`labeler ${JSON.stringify(byScripts.label)}, deliveries ${JSON.stringify(byScripts.webhooks)}`);
  const figures = { ...byScripts, ...(await measureSystem(plan, say)) };
  const day = new Date().toISOString().slice(0, 10);
  const file = join(workspaceRoot(), MEASURED_FILE);
  const { scale } = measuredShape.parse(JSON.parse(readFileSync(file, 'utf8')));
  const measured = measuredShape.parse(rounded({ day, machine, symbols: SYMBOLS.length, ...figures, scale }));
  writeFileSync(file, `${JSON.stringify(measured, null, 2)}\n`);
  writeFileSync(join(workspaceRoot(), PAGE_FILE), capacityPage(measured));
  say(`wrote ${PAGE_FILE}; load average before the start ${machine.loadAverage.toFixed(1)}`);
}

async function measureSystem(
  plan: CapacityPlan,
  say: (line: string) => void,
): Promise<Omit<Measured, 'day' | 'machine' | 'symbols' | 'label' | 'webhooks' | 'scale'>> {
  const { path: dataDir, remove } = takeTemporaryFolder();
  const system = await startSystem({ dataDir, settings: SETTINGS });
  try {
    await whenPrimed(system);
    const { hourMs, ...stored } = await measureStored(system, SYMBOLS);
    say(`stored ${JSON.stringify(stored)}`);
    await delay(SETTLE_MS);
    const atRest = await measureAtRest(system, SYMBOLS, plan.restMs);
    say(`at rest ${JSON.stringify(atRest)}`);
    const keys = await enterpriseKeys(system, TENANTS);
    const reads = await measureLatest(system, keys, plan.reads);
    say(`reads ${JSON.stringify(reads)}`);
    const readers = await measureReaders(system, keys, plan.readers, plan.readersMs);
    say(`readers ${JSON.stringify(readers)}`);
    const exported = await measureExport(system, SYMBOLS, hourMs);
    say(`export ${JSON.stringify(exported)}`);
    return { ...stored, ...atRest, ...reads, ...readers, ...exported };
  } finally {
    await system.stop();
    remove();
  }
}

/** Numbers to three significant digits. */
export function rounded<T>(value: T): T {
  const text = JSON.stringify(value, (_key, each: unknown) => (typeof each === 'number' ? roundOf(each) : each));
  return JSON.parse(text) as T;
}

function roundOf(value: number): number {
  return Number.isInteger(value) ? value : Number(value.toPrecision(DIGITS));
}
