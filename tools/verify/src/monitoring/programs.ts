import { findProgram } from '@market-state/testing';

/** Files of the programs that the suite runs beside the product. */
export interface Programs {
  readonly prometheus: string;
  readonly promtool: string;
  readonly postgresExporter: string;
}

/** Finds the programs, and installs Debian's packages that bring them where it may. @throws Error with the line to run */
export async function findPrograms(say: (line: string) => void): Promise<Programs> {
  return {
    prometheus: await findProgram('prometheus', 'prometheus', say),
    promtool: await findProgram('promtool', 'prometheus', say),
    postgresExporter: await findProgram('prometheus-postgres-exporter', 'prometheus-postgres-exporter', say),
  };
}
