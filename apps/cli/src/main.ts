import { setFlagsFromString } from 'node:v8';
import { runCli } from './program';
import { readConfig } from './config';

// Most runs end within a second or two, where early optimisation by V8 costs more than it saves. V8 12 (Node 22)
// dropped the flag.
if (Number.parseInt(process.versions.v8, 10) < 12) setFlagsFromString('--interrupt-budget=400000');

const stop = new AbortController();
const exitCodes = { SIGINT: 130, SIGTERM: 143 } as const;

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    // A second signal exits immediately.
    if (stop.signal.aborted) process.exit(exitCodes[signal]);
    stop.abort();
    process.exitCode = exitCodes[signal];
  });
}

// The reader may be gone (`| head`); writers handle that themselves.
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
