const HELP = `npm start: the whole service on this machine, with a private PostgreSQL and Redis, until Ctrl-C. It takes no arguments; it reads

  PORT        where the service answers; 8080, or the next free port
  DATA_DIR    where everything that it keeps is; .data
  FEED        where market data come from; by default the bundled recording and the simulated venue

and the other variables that tools/launcher/README.md lists.`;

/**
 * What `npm start` says in place of starting; undefined where it starts.
 * @param given arguments after the command
 * @throws Error in a sentence when there is an argument that it does not take
 */
export function startHelp(given: readonly string[]): string | undefined {
  if (given.length === 1 && (given[0] === '--help' || given[0] === '-h')) return HELP;
  if (given.length > 0)
    throw new Error(`npm start takes no arguments, and was given ${given.join(' ')}. Its settings: npm start -- --help`);
  return undefined;
}
