import type { z } from 'zod';
import { runScript } from '../run-script';
import { type Measured, measuredShape } from './figures';

const LABELER = 'libs/domain/labeler/bench/label-costs.ts';
const DELIVERIES = 'apps/webhook/bench/deliver.ts';

const { label, webhooks } = measuredShape.shape;

/** What a packet and an event cost the labeler, and what deliveries cost a worker, each measured by a script of its project. */
export async function measureByScripts(): Promise<Pick<Measured, 'label' | 'webhooks'>> {
  return { label: await figuresOf(LABELER, label), webhooks: await figuresOf(DELIVERIES, webhooks) };
}

/** The figures that a script prints as its last line, JSON. @throws Error when it fails or prints none */
async function figuresOf<Shape extends z.ZodType>(file: string, shape: Shape): Promise<z.output<Shape>> {
  const printed = await runScript(file, ['figures'], 'pipe');
  return shape.parse(JSON.parse(printed.trim().split('\n').at(-1) ?? ''));
}
