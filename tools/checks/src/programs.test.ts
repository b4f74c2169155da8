import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { programFile, workspaceRoot } from '@market-state/launcher';

const root = workspaceRoot();
const services = JSON.parse(readFileSync(join(root, 'services.json'), 'utf8')) as Record<string, { readonly processes: object }>;
const processes = Object.values(services).flatMap((service) => Object.keys(service.processes));

/** One character beyond ASCII doubles the memory that V8 needs for the text of a program. */
test.each(processes)('the program of %s is all ASCII', (name) => {
  const program = readFileSync(programFile(name));
  expect(program.findIndex((byte) => byte > 127)).toBe(-1);
});
