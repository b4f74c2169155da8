export type { CliIo } from './io/cli-io';
export { runCli } from './run-cli';
