import { commonVariables } from './pieces';
import type { Environment } from './config-error';

/**
 * Where a process sends its traces; undefined where it is not said, or not well. What is wrong with it is reported by the process's own
 * configuration, of which this variable is a part, with every other fault.
 */
export function tracesEndpointOf(env: Environment): string | undefined {
  const text = env['OTEL_EXPORTER_OTLP_ENDPOINT'];
  return text ? commonVariables.OTEL_EXPORTER_OTLP_ENDPOINT.safeParse(text).data : undefined;
}
