import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';

const script = `
groups= ; folders=
while read -r order first second; do
  case $order in
    own) groups="$groups $first:$second" ;;
    disown) kept= ; for entry in $groups; do [ "\${entry%:*}" = "$first" ] || kept="$kept $entry"; done; groups=$kept ;;
    remove) folders="$folders $first" ;;
    keep) kept= ; for entry in $folders; do [ "$entry" = "$first" ] || kept="$kept $entry"; done; folders=$kept ;;
  esac
done
for entry in $groups; do kill -s "\${entry#*:}" -- "-\${entry%:*}" 2>/dev/null; done
for tenth in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25; do
  left=; for entry in $groups; do kill -0 -- "-\${entry%:*}" 2>/dev/null && left=1; done
  [ -n "$left" ] || break
  sleep 0.2
done
for entry in $groups; do kill -s KILL -- "-\${entry%:*}" 2>/dev/null; done
for folder in $folders; do rm -rf -- "$folder"; done
`;

/**
 * A small shell process that outlives this one briefly to clean up after it, even after SIGKILL, which no handler could
 * catch.
 */
export interface ProcessGuard {
  own(pid: number, signal: NodeJS.Signals): void;
  /** Forgets an ended group, whose pid may be reused. */
  disown(pid: number): void;
  /** The path must not contain white space. */
  removeFolder(folder: string): void;
  keepFolder(folder: string): void;
}

let shared: ProcessGuard | undefined;

/** Started on first use; does not keep this process alive. */
export function processGuard(): ProcessGuard {
  shared ??= startProcessGuard();
  return shared;
}

function startProcessGuard(): ProcessGuard {
  const shell: ChildProcess = spawn('/bin/sh', ['-c', script], { cwd: '/', detached: true, stdio: ['pipe', 'ignore', 'ignore'] });
  shell.unref();
  const orders = shell.stdin;
  if (orders === null) throw new Error('The cleanup process has no pipe.');
  (orders as unknown as { unref(): void }).unref();
  orders.on('error', () => undefined);
  const give = (...words: (string | number)[]): void => void orders.write(`${words.join(' ')}\n`);
  return {
    own: (pid, signal) => give('own', pid, signal.replace(/^SIG/, '')),
    disown: (pid) => give('disown', pid),
    removeFolder: (folder) => give('remove', folder),
    keepFolder: (folder) => give('keep', folder),
  };
}
