import { z } from 'zod';
import { commonVariables, type ConfigError, readConfig, tracesEndpointOf } from '.';

const schema = z.object({ OTEL_EXPORTER_OTLP_ENDPOINT: commonVariables.OTEL_EXPORTER_OTLP_ENDPOINT });

function messageOf(text: string): string | undefined {
  try {
    readConfig(schema, { OTEL_EXPORTER_OTLP_ENDPOINT: text });
    return undefined;
  } catch (error) {
    return (error as ConfigError).faults[0]?.message;
  }
}

test.each(['http://collector:4318', 'https://collector.example/otlp', 'http://[::1]:4318/'])('%s is an address of a collector', (text) => {
  expect(messageOf(text)).toBeUndefined();
  expect(tracesEndpointOf({ OTEL_EXPORTER_OTLP_ENDPOINT: text })).toBe(text);
});

test.each([
  'collector:4318',
  'grpc://collector:4317',
  'http://user:secret@collector',
  'http://collector/?token=secret',
  'http://collector/#a',
])('%s is rejected without repeating it, and nothing is sent there', (text) => {
  expect(messageOf(text)).toMatch(/^must be an http or https URL/);
  expect(messageOf(text)).not.toContain('secret');
  expect(tracesEndpointOf({ OTEL_EXPORTER_OTLP_ENDPOINT: text })).toBeUndefined();
});

test('where it is not set, or is empty, nothing is sent', () => {
  expect([tracesEndpointOf({}), tracesEndpointOf({ OTEL_EXPORTER_OTLP_ENDPOINT: '' })]).toEqual([undefined, undefined]);
});
