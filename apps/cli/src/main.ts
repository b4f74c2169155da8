import { setFlagsFromString } from 'node:v8';
import { runCli } from './program';
import { readConfig } from './config';

// Most runs are over in a second or two: machine code that V8 makes of a function at its first chance costs more than it saves then.
// V8 12 (Node 22) has no such flag.
if (Number.parseInt(process.versions.v8, 10) < 12) setFlagsFromString('--interrupt-budget=400000');

const stop = new AbortController();
const exitCodes = { SIGINT: 130, SIGTERM: 143 } as const;

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    // A second one does not wait for anything.
    if (stop.signal.aborted) process.exit(exitCodes[signal]);
    stop.abort();
    process.exitCode = exitCodes[signal];
  });
}

// Whoever read our lines may be gone (`| head`); those who write see to it.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);

void runCli(process.argv.slice(2), {
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  cwd: process.cwd(),
  signal: stop.signal,
  ...readConfig(process.env),
}).then((exitCode) => {
  process.exitCode ??= exitCode;
});
