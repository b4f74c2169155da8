import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod';
import { monitoringFolder } from './dashboards-main';

const relabelling = z.array(z.record(z.string(), z.union([z.string(), z.array(z.string())])));
const scrape = z.strictObject({
  job_name: z.string(),
  scrape_interval: z.string(),
  scrape_timeout: z.string(),
  kubernetes_sd_configs: z.array(z.object({ role: z.literal('pod') })).length(1),
  relabel_configs: relabelling,
});
const pipeline = z.strictObject({ receivers: z.array(z.string()), processors: z.array(z.string()), exporters: z.array(z.string()) });
const collector = z.strictObject({
  receivers: z.strictObject({
    prometheus: z.strictObject({ config: z.strictObject({ scrape_configs: z.array(scrape).length(1) }) }),
    otlp: z.strictObject({ protocols: z.strictObject({ http: z.strictObject({ endpoint: z.string() }) }) }),
  }),
  processors: z.strictObject({
    memory_limiter: z.strictObject({ check_interval: z.string(), limit_mib: z.int(), spike_limit_mib: z.int() }),
    batch: z.strictObject({ timeout: z.string() }),
  }),
  exporters: z.strictObject({ otlphttp: z.strictObject({ endpoint: z.string() }) }),
  service: z.strictObject({ pipelines: z.record(z.enum(['metrics', 'traces']), pipeline) }),
});

const read = (name: string): unknown => parse(readFileSync(join(monitoringFolder(), name), 'utf8'));

test('the collector scrapes the same pods as Prometheus, with the same labels, and uses only what it defines', () => {
  const { receivers, processors, exporters, service } = collector.parse(read('collector.yaml'));
  const [own] = receivers.prometheus.config.scrape_configs;
  const { scrape_configs: jobs } = z
    .object({ scrape_configs: z.array(z.object({ job_name: z.string(), relabel_configs: relabelling })) })
    .parse(read('prometheus.yaml'));
  const job = jobs.find(({ job_name: name }) => name === own?.job_name);
  // The collector expands variables that Prometheus leaves alone.
  expect(JSON.parse(JSON.stringify(own?.relabel_configs).replaceAll('$$', '$'))).toEqual(job?.relabel_configs);
  for (const used of Object.values(service.pipelines)) {
    expect(Object.keys(receivers)).toEqual(expect.arrayContaining(used.receivers));
    expect(Object.keys(processors)).toEqual(expect.arrayContaining(used.processors));
    expect(Object.keys(exporters)).toEqual(expect.arrayContaining(used.exporters));
    expect(used.processors[0]).toBe('memory_limiter');
  }
});
